#!/bin/sh
echo kernels
