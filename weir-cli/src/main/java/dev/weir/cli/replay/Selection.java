package dev.weir.cli.replay;

import dev.weir.kafka.deadletter.DeadLetterFormat;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The selection of dead-letter records that are sent. Immutable.
 *
 * @param format the format of all records; a custom format is tried before the known ones; null to detect the format by
 *     headers
 * @param filters conditions, which must all hold
 * @param since earliest time, or null for no limit
 * @param until end of the selected time, which is not selected itself, or null for no limit
 */
record Selection(
        @Nullable DeadLetterFormat format,
        List<ReplayFilter> filters,
        @Nullable Instant since,
        @Nullable Instant until) {

    /**
     * Reads a dead-letter record.
     *
     * @throws IllegalArgumentException if it matches neither the format nor, if allowed, a known one
     */
    DeadLetterRecord read(ConsumerRecord<byte[], byte[]> record) {
        if (format == null) {
            return DeadLetterRecord.read(record);
        }
        try {
            return DeadLetterRecord.read(record, format);
        } catch (IllegalArgumentException other) {
            if (DeadLetterFormat.known().contains(format)) {
                throw other;
            }
            return readKnown(record, other);
        }
    }

    /**
     * Returns true if the user chose a format that does not fit the headers of this unreadable record. If the user
     * chose a custom format, the result is true only if no known format fits either.
     */
    boolean isOfAnotherFormat(ConsumerRecord<byte[], byte[]> record) {
        if (format == null || format.fits(record)) {
            return false;
        }
        return DeadLetterFormat.known().contains(format)
                || DeadLetterFormat.known().stream().noneMatch(known -> known.fits(record));
    }

    private static DeadLetterRecord readKnown(
            ConsumerRecord<byte[], byte[]> record, IllegalArgumentException otherwise) {
        try {
            return DeadLetterRecord.read(record);
        } catch (IllegalArgumentException unknown) {
            otherwise.addSuppressed(unknown);
            throw otherwise;
        }
    }

    /**
     * Returns whether a record is selected. Ignores conditions that cannot be checked while its original is missing.
     */
    boolean mayTake(DeadLetterRecord deadLetter) {
        Instant time = deadLetter.time();
        return (since == null || !time.isBefore(since))
                && (until == null || time.isBefore(until))
                && filters.stream()
                        .allMatch(filter ->
                                (deadLetter.lacksRecord() && filter.isOfRecord()) || filter.matches(deadLetter));
    }
}
