package dev.weir.cli.pipe;

import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.ConsumerSnapshot.RecordRange;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Formats sentences about records that the pipe read and dropped, or never read. */
final class DroppedText {

    /** Maximum number of ranges named in one sentence. */
    private static final int MAX_RANGES = 5;

    private DroppedText() {}

    /** Topic, partition and offsets. */
    static String place(RecordRange range) {
        return String.format(
                Locale.ROOT,
                "%s-%d from offset %d to %d",
                range.topic(),
                range.partition(),
                range.from(),
                range.to() - 1);
    }

    /**
     * Returns the sentences for a failure message about uncommitted records that are no longer in the log. The text is
     * empty if all uncommitted records will be read again.
     *
     * @param placeIsGone whether the run failed because the log no longer contains the consumer's position
     */
    static String lost(ConsumerSnapshot consumer, boolean placeIsGone) {
        List<RecordRange> lost = Stream.concat(consumer.dropped().stream(), consumer.skipped().stream())
                .filter(RecordRange::isGone)
                .toList();
        if (lost.isEmpty() && !placeIsGone) {
            return "";
        }
        String again = "What was not committed is read again at the next start, as far as the log still has it.";
        if (lost.isEmpty()) {
            return again;
        }
        int more = lost.size() - MAX_RANGES;
        return lost.stream().limit(MAX_RANGES).map(DroppedText::place).collect(Collectors.joining(", ", "Lost: ", ""))
                + (more > 0 ? " and " + more + " more ranges" : "") + ". " + again;
    }
}
