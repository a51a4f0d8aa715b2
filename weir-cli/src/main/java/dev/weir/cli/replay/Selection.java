package dev.weir.cli.replay;

import dev.weir.kafka.letter.Letter;
import dev.weir.kafka.letter.LetterFormat;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The selection of dead-letter records that are sent. Immutable.
 *
 * @param format of all letters, or one beside the known ones if it is none of them, or null for each by its headers
 * @param filters all must hold
 * @param since letters of that time or later, or null for all
 * @param until letters before that time, or null for all
 */
record Selection(
        @Nullable LetterFormat format,
        List<ReplayFilter> filters,
        @Nullable Instant since,
        @Nullable Instant until) {

    /**
     * Reads a letter.
     *
     * @throws IllegalArgumentException if it is none of the format, nor of a known one if that may be
     */
    Letter read(ConsumerRecord<byte[], byte[]> record) {
        if (format == null) {
            return Letter.read(record);
        }
        try {
            return Letter.read(record, format);
        } catch (IllegalArgumentException other) {
            if (LetterFormat.known().contains(format)) {
                throw other;
            }
            return readKnown(record, other);
        }
    }

    /** Returns true if a format was named and a record that cannot be read has no headers of it, nor of a known one. */
    boolean isOfAnotherFormat(ConsumerRecord<byte[], byte[]> record) {
        if (format == null || format.fits(record)) {
            return false;
        }
        return LetterFormat.known().contains(format)
                || LetterFormat.known().stream().noneMatch(known -> known.fits(record));
    }

    private static Letter readKnown(ConsumerRecord<byte[], byte[]> record, IllegalArgumentException otherwise) {
        try {
            return Letter.read(record);
        } catch (IllegalArgumentException unknown) {
            otherwise.addSuppressed(unknown);
            throw otherwise;
        }
    }

    /** Returns whether a letter is to be sent, as far as can be said of one that may lack its record. */
    boolean mayTake(Letter letter) {
        Instant time = letter.time();
        return (since == null || !time.isBefore(since))
                && (until == null || time.isBefore(until))
                && filters.stream()
                        .allMatch(filter -> (letter.lacksRecord() && filter.isOfRecord()) || filter.matches(letter));
    }
}
