/**
 * Dead-letter records of any writer, read so that their originals can be sent back: a consumed dead-letter record comes
 * in, the original record goes out. {@link dev.weir.kafka.letter.Letter}s are immutable;
 * {@link dev.weir.kafka.letter.Originals} is confined to one thread and owned by the user.
 */
@NullMarked
package dev.weir.kafka.letter;

import org.jspecify.annotations.NullMarked;
