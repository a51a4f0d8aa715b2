package dev.weir.cli.pipe;

import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.ConsumerSnapshot.RecordRange;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Sentences about records that the pipe dropped or never read. */
final class DroppedText {

    private static final int MAX_RANGES = 5;

    private DroppedText() {}

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
     * Returns sentences about uncommitted records that the log has lost; empty if the next run reads all of them.
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
