/**
 * A search for better settings of a running pipeline, using only its controls. The tuner reads the pipeline's state and
 * changes its controls. Everything runs on the thread that calls {@link dev.weir.console.tune.Tuner}.
 */
@NullMarked
package dev.weir.console.tune;

import org.jspecify.annotations.NullMarked;
