/**
 * Operators that run fused: batches come in by pull and go out changed, on the thread of the segment that owns them.
 * One operator is one class.
 */
@NullMarked
package dev.weir.stream.internal.operator;

import org.jspecify.annotations.NullMarked;
