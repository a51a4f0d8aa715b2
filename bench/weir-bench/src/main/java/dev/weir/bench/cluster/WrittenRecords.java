package dev.weir.bench.cluster;

import dev.weir.bench.RunFailure;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.Report;
import dev.weir.driver.Scenario;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;

/** Counts the records in output topics to determine figures that a driver cannot know. Confined to one thread. */
public final class WrittenRecords {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Brokers brokers;
    private final BenchTopics topics;

    WrittenRecords(Brokers brokers, BenchTopics topics) {
        this.brokers = brokers;
        this.topics = topics;
    }

    /** Adds the number of records in the output topic to the counts if the scenario is PRODUCE or PIPELINE. */
    public LedgerFigures checked(WorkloadPoint point, String topic, LedgerFigures ledger) {
        return switch (point.scenario()) {
            case PRODUCE ->
                ledger.withWritten(
                        point.producesInTransactions() ? committed(topic) : written(topic, ledger.distinct()));
            case PIPELINE -> ledger.withOutput(written(topics.sink(), ledger.distinct() + ledger.duplicates()));
            default -> ledger;
        };
    }

    /** Returns the number of records in the topic. Waits for {@code expected} records up to a timeout. */
    private long written(String topic, long expected) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            long written = Arrays.stream(topics.ends(topic)).sum();
            if (written >= expected || System.nanoTime() - deadline >= 0) {
                return written;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    private long committed(String topic) {
        return CommittedRecords.count(brokers.connection(), topic);
    }

    /**
     * Returns a sentence about missing, repeated and unexpected records, or an empty string if the scenario is not
     * {@link Scenario#PRODUCE}.
     */
    public String numbers(WorkloadPoint point, String topic, long recordsPerPartition) {
        return point.scenario() == Scenario.PRODUCE
                ? WrittenNumbers.told(brokers.connection(), topic, point.partitions(), recordsPerPartition)
                : "";
    }

    /**
     * Returns the report of a {@link Scenario#COPY} pass, with the records, time and delivery counts measured from the
     * output topic. Reports of other scenarios are returned unchanged.
     *
     * @param recordsPerPartition number of records in each partition of the input
     * @param group the pass's group
     * @throws RunFailure if the output cannot be read, or was not committed together with the offsets
     */
    public Report.Passed copied(
            WorkloadPoint point, String topic, long recordsPerPartition, String group, Report.Passed passed) {
        if (point.scenario() != Scenario.COPY) {
            return passed;
        }
        long[] each = new long[point.partitions()];
        Arrays.fill(each, recordsPerPartition);
        return copies(point, topic, each, group, topics.sink()).figures(passed);
    }

    /**
     * Returns the delivery counts of a group that copies a planned load. They are determined from the group's
     * {@link BenchTopics#output} topics.
     *
     * @param ends end offsets of the input, by partition
     * @throws RunFailure if the output cannot be read, or was not committed together with the offsets
     */
    public LedgerFigures copied(WorkloadPoint point, String topic, long[] ends, String group) {
        return copies(point, topic, ends, group, topics.output()).ledger();
    }

    private CopiedRecords copies(WorkloadPoint point, String topic, long[] ends, String group, String written) {
        long[] committed = new long[point.partitions()];
        Asked.of(
                        "what group " + group + " committed",
                        brokers.admin()
                                .listConsumerGroupOffsets(
                                        group, new ListConsumerGroupOffsetsOptions().requireStable(true))
                                .partitionsToOffsetAndMetadata())
                .forEach((partition, offset) -> {
                    if (partition.topic().equals(topic) && offset != null) {
                        committed[partition.partition()] = offset.offset();
                    }
                });
        return new CopiedRecords(point, ends, committed).read(brokers.connection(), written);
    }
}
