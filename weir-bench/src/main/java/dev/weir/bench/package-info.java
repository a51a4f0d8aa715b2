/**
 * The instrument: any consumer or producer library under the same workload. In comes a workload file, out goes a folder
 * of results; {@code campaign} drives, {@code statistics} judges, {@code report} shows. This package has the faults
 * that the others share: of a whole campaign and of one run.
 */
@NullMarked
package dev.weir.bench;

import org.jspecify.annotations.NullMarked;
