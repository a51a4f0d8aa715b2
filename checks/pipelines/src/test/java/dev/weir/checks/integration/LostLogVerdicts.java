package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.checks.integration.LostLogReader.Seen;
import dev.weir.kafka.OutOfRangePolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Checks that readers of a truncated log follow their policy. Stateless. */
final class LostLogVerdicts {

    private LostLogVerdicts() {}

    /**
     * Waits until each reader has done what its policy requires. Writes more records from time to time, because a
     * reader that starts at the end needs one. Fails with a list of everything missing.
     *
     * @param newRecords the number of records of the era {@code new} in the diverging partition
     */
    static void await(
            List<LostLogReader> readers,
            TopicPartition diverging,
            LostLogWriter writer,
            int newRecords,
            Duration within)
            throws Exception {
        long deadline = System.nanoTime() + within.toNanos();
        Map<String, String> missing = missing(readers, diverging, newRecords);
        while (!missing.isEmpty() && System.nanoTime() < deadline) {
            writer.write(diverging, "late", 1);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
            missing = missing(readers, diverging, newRecords);
        }
        assertThat(missing).as("of %s readers", readers.size()).isEmpty();
    }

    private static Map<String, String> missing(List<LostLogReader> readers, TopicPartition diverging, int newRecords) {
        Map<String, String> missing = new TreeMap<>();
        for (LostLogReader reader : readers) {
            String of = missing(reader, diverging, newRecords);
            if (of != null) {
                missing.put(reader.toString(), of);
            }
        }
        return missing;
    }

    private static @Nullable String missing(LostLogReader reader, TopicPartition diverging, int newRecords) {
        String failure = reader.failure();
        if (reader.parameters().policy() == OutOfRangePolicy.FAIL) {
            return failsAsItMust(failure, diverging) ? null : failure == null ? saw(reader, diverging) : failure;
        }
        if (failure != null) {
            return failure;
        }
        if (!reader.hasSeen("new-healthy", 100)) {
            return "stands still on the healthy partition";
        }
        boolean held = reader.parameters().policy() == OutOfRangePolicy.LATEST
                ? goesOnWithoutAHole(reader.seen(diverging))
                : reader.hasSeen("new", newRecords);
        return held ? null : saw(reader, diverging);
    }

    private static boolean failsAsItMust(@Nullable String failure, TopicPartition diverging) {
        return failure != null && failure.contains(diverging + "@") && failure.contains("EARLIEST, LATEST or NEAREST");
    }

    /** Returns whether the last record is a late one, and the new log's records have no gap. */
    private static boolean goesOnWithoutAHole(List<Seen> seen) {
        List<Seen> ofNewLog = seen.stream()
                .filter(each -> each.isOf("new") || each.isOf("late"))
                .toList();
        for (int i = 1; i < ofNewLog.size(); i++) {
            if (ofNewLog.get(i).offset() != ofNewLog.get(i - 1).offset() + 1) {
                return false;
            }
        }
        return !ofNewLog.isEmpty() && ofNewLog.getLast().isOf("late");
    }

    private static String saw(LostLogReader reader, TopicPartition diverging) {
        List<Seen> all = reader.seen(diverging);
        long ofNewLog = all.stream().filter(each -> each.isOf("new")).distinct().count();
        long late = all.stream().filter(each -> each.isOf("late")).count();
        return "runs, and saw " + ofNewLog + " records of the new log, and " + late + " that came later"
                + (all.isEmpty() ? "" : ", the last one " + all.getLast());
    }
}
