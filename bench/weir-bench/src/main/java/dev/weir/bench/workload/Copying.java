package dev.weir.bench.workload;

import dev.weir.driver.HandlerOrder;
import dev.weir.driver.PassOptions;
import dev.weir.driver.RecordLayout;
import dev.weir.driver.Scenario;

/** Checks the settings of the scenario copy, and refuses them in other scenarios. Stateless. */
final class Copying {
    static final String AT_LEAST_ONCE = "at-least-once";

    // The check of the output needs a byte of memory for each record.
    private static final long MOST_RECORDS = 200_000_000;

    private static final int LEAST_PLANNED_BYTES = RecordLayout.PARTITION_BEHIND_TIME + Integer.BYTES;

    private Copying() {}

    static void check(WorkloadPoint point) {
        if (point.scenario() != Scenario.COPY) {
            if (point.isExactlyOnce()) {
                throw new WorkloadException("options." + PassOptions.GUARANTEE
                        + " applies only to scenario copy; other scenarios state their guarantee in their names");
            }
            return;
        }
        if (point.isPlanned() && point.valueBytes() < LEAST_PLANNED_BYTES) {
            throw new WorkloadException(
                    "scenario copy with topic.recordsPerSecond has a record's number, time and partition"
                            + " in its value: set topic.valueBytes to " + LEAST_PLANNED_BYTES + " or more");
        }
        if (point.transactionRecords() > 0) {
            throw new WorkloadException("scenario copy is checked by offsets, which markers of transactions shift:"
                    + " leave topic.transactionRecords out");
        }
        if (point.recordsPerPartition() * point.partitions() > MOST_RECORDS) {
            throw new WorkloadException("scenario copy has a byte in memory for each record: set topic.records to "
                    + MOST_RECORDS + " at most");
        }
        if (point.hasSlowSink()) {
            throw new WorkloadException("options." + PassOptions.SINK_RATE
                    + " slows down user code of consuming scenarios; scenario copy has options.work.rounds");
        }
        if (point.ordering() == HandlerOrder.KEY) {
            throw new WorkloadException(
                    "scenario copy is checked by partition: set options.ordering to partition, or to none");
        }
        if (point.isExactlyOnce() && point.ordering() == HandlerOrder.NONE) {
            throw new WorkloadException(
                    "scenario copy is checked in the order of partitions for " + PassOptions.EXACTLY_ONCE
                            + ", so that output and offsets can be compared: set options.ordering to partition");
        }
        if (point.seconds("settleSeconds") > 0) {
            throw new WorkloadException("method.settleSeconds does not go with scenario copy,"
                    + " whose time comes from the records in the output: leave it out");
        }
    }
}
