package dev.weir.bench.campaign;

import dev.weir.bench.BenchException;
import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.process.DriverProcess;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Scenario;
import java.nio.file.Path;
import java.util.Map;

/**
 * Provides the input and output topics of drivers. Fills an input topic when it is first used, and recreates output
 * topics. Confined to one thread.
 */
final class CampaignTopics {

    /** The driver that fills the topic of {@link Scenario#PIPELINE}. */
    private static final String EVENTS = "asimov-events";

    private static final int MAX_FILL_SECONDS = 600;

    private final CampaignBrokers brokers;
    private final DriverLauncher launcher;

    CampaignTopics(CampaignBrokers brokers, DriverLauncher launcher) {
        this.brokers = brokers;
        this.launcher = launcher;
    }

    /**
     * Returns the topic of a driver: a new output topic in {@link Scenario#PRODUCE}, otherwise an input topic with
     * {@code recordsPerPartition} records in each partition.
     *
     * @param log output file of processes that fill the topic
     */
    String topic(WorkloadPoint point, long recordsPerPartition, Path log) throws InterruptedException {
        BenchCluster cluster = brokers.at(point);
        return switch (point.scenario()) {
            case PRODUCE -> cluster.topics().fresh(point);
            case PIPELINE -> {
                cluster.topics().fresh(point);
                yield events(cluster, point, recordsPerPartition, log);
            }
            default -> cluster.topics().filled(point, recordsPerPartition);
        };
    }

    String ofRun(WorkloadPoint point, Path log) throws InterruptedException {
        return point.scenario() == Scenario.STEADY || point.isChangeable()
                ? brokers.at(point).topics().begun(point)
                : topic(point, point.recordsPerPartition(), log);
    }

    static boolean isFilledAhead(WorkloadPoint point) {
        return point.scenario() != Scenario.PRODUCE && !point.isPlanned();
    }

    private String events(BenchCluster cluster, WorkloadPoint point, long recordsPerPartition, Path log)
            throws InterruptedException {
        String events = "asimov-p" + point.partitions() + "-n" + recordsPerPartition
                + (point.replicas() == 1 ? "" : "-rf" + point.replicas());
        return cluster.topics().fillOnce(events, point, recordsPerPartition, topic -> {
            try (DriverProcess process = launcher.start(EVENTS, point.heapMegabytes(), log)) {
                DriverSession driver = new DriverSession(process, cluster, point);
                driver.hello(Scenario.PRODUCE);
                driver.configure(topic, recordsPerPartition, Scenario.PRODUCE, Map.of(), Map.of());
                driver.start(0, MAX_FILL_SECONDS);
                if (!driver.passed().complete()) {
                    throw new RunFailure("it did not write all records within " + MAX_FILL_SECONDS + " s");
                }
            } catch (RunFailure e) {
                throw new BenchException(
                        "topic " + topic + " could not be filled: " + e.getMessage() + "; the log is " + log);
            }
        });
    }
}
