package dev.weir.checks.integration;

import dev.weir.kafka.KafkaSource;
import dev.weir.stream.DrainReport;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline in this process that stores what it reads. It is the only member of its group. Confined to the test's
 * thread.
 */
final class LostLogReader {

    record Seen(TopicPartition partition, long offset, String value) {

        boolean isOf(String era) {
            return value.startsWith(era + ":");
        }
    }

    private final String bootstrapServers;
    private final String topic;
    private final LostLogCase parameters;
    private final Queue<Seen> seen = new ConcurrentLinkedQueue<>();

    private RunningPipeline running;

    private LostLogReader(String bootstrapServers, String topic, LostLogCase parameters) {
        this.bootstrapServers = bootstrapServers;
        this.topic = topic;
        this.parameters = parameters;
        this.running = run();
    }

    static LostLogReader start(String bootstrapServers, String topic, LostLogCase parameters) {
        return new LostLogReader(bootstrapServers, topic, parameters);
    }

    private RunningPipeline run() {
        return KafkaSource.from(parameters.settings(bootstrapServers, group()), topic)
                .atLeastOnce()
                .to(Sink.forEach(record -> seen.add(new Seen(
                        new TopicPartition(record.topic(), record.partition()),
                        record.offset(),
                        new String(record.value(), StandardCharsets.US_ASCII)))))
                .run();
    }

    private String group() {
        return topic + "-" + parameters;
    }

    LostLogCase parameters() {
        return parameters;
    }

    /** Returns whether the reader has seen {@code records} distinct records of an era. */
    boolean hasSeen(String era, int records) {
        return seen.stream().filter(each -> each.isOf(era)).distinct().count() >= records;
    }

    boolean hasCommitted(KafkaCluster cluster, TopicPartition partition, long offset) {
        return Long.valueOf(offset).equals(cluster.committedOffsets(group()).get(partition));
    }

    List<Seen> seen(TopicPartition partition) {
        return seen.stream().filter(each -> each.partition().equals(partition)).toList();
    }

    void drain() throws InterruptedException {
        DrainReport report = running.drain(Duration.ofSeconds(20));
        if (!report.drained()) {
            throw new AssertionError(this + " not drained: " + report.leftUndone());
        }
    }

    void startAgain() {
        running = run();
    }

    /** Returns the message of the run's failure, or null while it runs. */
    @Nullable
    String failure() {
        if (!running.completion().isDone()) {
            return null;
        }
        try {
            return "it ended without a failure: " + running.completion().join();
        } catch (CompletionException e) {
            return String.valueOf(e.getCause() == null ? e : e.getCause());
        }
    }

    void close() {
        running.close();
    }

    @Override
    public String toString() {
        return parameters.toString();
    }
}
