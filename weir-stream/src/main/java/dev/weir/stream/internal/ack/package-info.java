/**
 * Acknowledgements that stand for others: claims of elements come in, one target that carries them all goes out. Such a
 * target is thread-safe, because its claims end on any thread; only the stage that makes it fills it.
 */
@NullMarked
package dev.weir.stream.internal.ack;

import org.jspecify.annotations.NullMarked;
