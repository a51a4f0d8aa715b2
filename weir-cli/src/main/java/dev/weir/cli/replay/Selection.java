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
     * @throws IllegalArgumentException if the record has no accepted format: the user's choice if it is a known format,
     * otherwise any known format or the user's custom one
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

    /** Returns whether the user chose a format, and the headers of this unreadable record match no accepted format. */
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
     * Returns whether the selection includes a record, as far as is known. Skips conditions on the key and on headers
     * if the record lacks its original.
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
