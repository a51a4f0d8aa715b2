/**
 * Measures any consumer or producer library under the same workload. The input is a workload file; the output is a
 * results folder. The package {@code campaign} runs the benchmark, {@code statistics} draws conclusions, and
 * {@code report} presents them. This package contains two exceptions that the other packages share.
 */
@NullMarked
package dev.weir.bench;

import org.jspecify.annotations.NullMarked;
