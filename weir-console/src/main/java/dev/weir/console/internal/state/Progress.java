package dev.weir.console.internal.state;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.deadletter.DeadLetterHandle;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.control.StageControl;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.time.Duration;

/**
 * The metrics of a pipeline that a tuner needs in addition to the stages' metrics. Immutable.
 *
 * @param atNanos the time by this process's clock
 * @param failed the number of failures: dead-letter records that were written or are still being retried, failed
 *     commits, and failed calls of parallel stages, whether or not they were retried
 * @param oldest the age of the oldest unfinished record; zero if there is none or its age is unknown
 * @param heapShare the fraction of the heap in use after the last garbage collection; 0 before the first one
 * @param backlog the number of records waiting in the topics; -1 if unknown
 */
public record Progress(long atNanos, long failed, Duration oldest, double heapShare, long backlog) {

    public static Progress of(RunningPipeline pipeline) {
        long failed = 0;
        long backlog = -1;
        Duration oldest = Duration.ZERO;
        for (DeadLetterHandle deadLetters : pipeline.handles(DeadLetterHandle.class)) {
            failed += deadLetters.written() + deadLetters.held();
        }
        for (StageControl stage : pipeline.handles(StageControl.class)) {
            failed += stage.failedCalls();
        }
        for (ConsumerHandle consumer : pipeline.handles(ConsumerHandle.class)) {
            ConsumerDump dump = consumer.outline();
            failed += dump.failedCommits();
            for (PartitionDump partition : dump.partitions()) {
                if (partition.lag() >= 0) {
                    backlog = Math.max(0, backlog) + partition.lag();
                }
                ConsumerDump.Oldest first = partition.oldest();
                if (first != null && first.age().compareTo(oldest) > 0) {
                    oldest = first.age();
                }
            }
        }
        return new Progress(System.nanoTime(), failed, oldest, heapShareNow(), backlog);
    }

    private static double heapShareNow() {
        long used = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            MemoryUsage collected = pool.getType() == MemoryType.HEAP ? pool.getCollectionUsage() : null;
            used += collected == null ? 0 : collected.getUsed();
        }
        return (double) used / Runtime.getRuntime().maxMemory();
    }

    void write(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("progress");
        json.writeNumberField("at_nanos", atNanos);
        json.writeNumberField("failed", failed);
        json.writeNumberField("oldest_ms", oldest.toMillis());
        json.writeNumberField("heap_share", Math.round(heapShare * 1000) / 1000.0);
        json.writeNumberField("backlog", backlog);
        json.writeEndObject();
    }
}
