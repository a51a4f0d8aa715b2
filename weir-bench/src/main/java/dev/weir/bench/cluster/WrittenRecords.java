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

/** Counts what the topics hold that drivers write to, where a driver itself cannot tell. Confined to one thread. */
public final class WrittenRecords {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Brokers brokers;
    private final BenchTopics topics;

    WrittenRecords(Brokers brokers, BenchTopics topics) {
        this.brokers = brokers;
        this.topics = topics;
    }

    /** A ledger with what the brokers have. */
    public LedgerFigures checked(WorkloadPoint point, String topic, LedgerFigures ledger) {
        return switch (point.scenario()) {
            case PRODUCE ->
                ledger.withWritten(
                        point.producesInTransactions() ? committed(topic) : written(topic, ledger.distinct()));
            case PIPELINE -> ledger.withOutput(written(topics.sink(), ledger.distinct() + ledger.duplicates()));
            default -> ledger;
        };
    }

    /**
     * The number of records the topic has once it has so many, or after a while: nobody waits for what is not
     * acknowledged.
     */
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

    /** The number of records the topic has that no transaction has aborted. */
    private long committed(String topic) {
        return CommittedRecords.count(brokers.connection(), topic);
    }

    /**
     * The records, in words, that the one pass which wrote to a topic has there; empty where none were produced. Counts
     * alone do not tell a record that was written twice from an acknowledgement that was lost.
     */
    public String numbers(WorkloadPoint point, String topic, long recordsPerPartition) {
        return point.scenario() == Scenario.PRODUCE
                ? WrittenNumbers.told(brokers.connection(), topic, point.partitions(), recordsPerPartition)
                : "";
    }

    /**
     * A pass of {@link Scenario#COPY} with the records, time and ledger that the output tells; any other as it is.
     *
     * @param recordsPerPartition of the input
     * @param group that of the pass
     * @throws RunFailure if the output cannot be told, or was not committed together with the offsets
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
     * The ledger of a group that copies by plan, from its {@link BenchTopics#output}.
     *
     * @param ends of the input, by partition
     * @throws RunFailure if it cannot be told, or was not committed together with the offsets
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
