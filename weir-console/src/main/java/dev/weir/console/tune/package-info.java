/**
 * A search for better settings of a running pipeline, using only its controls. Readings of a pipeline come in, changes
 * of its controls go out; everything runs on the thread that calls {@link dev.weir.console.tune.Tuner}.
 */
@NullMarked
package dev.weir.console.tune;

import org.jspecify.annotations.NullMarked;
