/**
 * The instrument: any consumer or producer library under the same workload. In comes a workload file, out goes a folder
 * of results; {@code run} drives, {@code statistics} judges, {@code report} shows.
 */
@NullMarked
package dev.weir.bench;

import org.jspecify.annotations.NullMarked;
