package dev.weir.cli.replay;

import dev.weir.kafka.deadletter.DeadLetterFormat;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Selects the dead-letter records to send. Immutable.
 *
 * @param format the format of all records; null to detect the format by headers. A custom format is tried before the
 *     known formats
 * @param filters conditions, which must all hold
 * @param since earliest selected time, or null for no limit
 * @param until end of the selected period (exclusive), or null for no limit
 */
record Selection(
        @Nullable DeadLetterFormat format,
        List<ReplayFilter> filters,
        @Nullable Instant since,
        @Nullable Instant until) {

    /**
     * Reads a dead-letter record.
     *
     * @throws IllegalArgumentException if the record has neither the chosen format nor, if others are allowed, a known
     *     format
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
     * Returns true if the format chosen by the user does not match the headers of this unreadable record. For a custom
     * format, the result is true only if no known format matches either.
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
