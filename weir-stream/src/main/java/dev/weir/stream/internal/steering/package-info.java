/**
 * The handles by which users look at and change a running pipeline. Calls of any thread come in; the stage's own
 * lock, or the dispatcher's, orders what they change. Each belongs to one run.
 */
@NullMarked
package dev.weir.stream.internal.steering;

import org.jspecify.annotations.NullMarked;
