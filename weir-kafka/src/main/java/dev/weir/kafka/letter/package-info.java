/**
 * Dead letters of any writer, read to be sent back: a letter comes in as it was consumed, the original record goes out.
 * Letters are immutable; {@link dev.weir.kafka.letter.Originals} is confined to one thread and owned by the user.
 */
@NullMarked
package dev.weir.kafka.letter;

import org.jspecify.annotations.NullMarked;
