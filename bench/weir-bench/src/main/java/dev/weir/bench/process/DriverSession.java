package dev.weir.bench.process;

import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Command;
import dev.weir.driver.Feature;
import dev.weir.driver.GroupType;
import dev.weir.driver.HandlerOrder;
import dev.weir.driver.Pass;
import dev.weir.driver.PassOptions;
import dev.weir.driver.Report;
import dev.weir.driver.Scenario;
import dev.weir.driver.ShareOptions;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The communication between the harness and a driver's process about one workload point. Confined to one thread. */
public final class DriverSession {
    /** Longest wait for a driver to join a group and receive a first record, or to close down. */
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    /**
     * Figure: the largest possible error of a pass's latencies, in milliseconds. It is caused by the clocks of the
     * driver and the sender.
     */
    public static final String CLOCK_ERROR = "clock: error ms";

    private final DriverProcess process;
    private final BenchCluster cluster;
    private final WorkloadPoint point;
    private GroupType groupType = GroupType.CONSUMER; // the default before the greeting
    private boolean hasConsumers; // whether the driver uses the official share consumer
    private String bootstrapServers; // addresses that the driver uses

    public DriverSession(DriverProcess process, BenchCluster cluster, WorkloadPoint point) {
        this.process = process;
        this.cluster = cluster;
        this.point = point;
        this.bootstrapServers = cluster.bootstrapServers();
    }

    /** Sets the broker addresses for the driver to use. They take effect with the next {@link #configure}. */
    public void through(String addresses) {
        bootstrapServers = addresses;
    }

    /** Receives the greeting of a driver. Fails if the driver does not support the point's scenario or features. */
    public Report.Hello hello() throws InterruptedException {
        Report.Hello hello = hello(point.scenario());
        for (Feature wanted : point.features()) {
            if (!hello.features().contains(wanted)) {
                throw new RunFailure("it does not offer " + wanted.text() + ", only "
                        + hello.scenarios().stream().map(Scenario::label).toList() + " without");
            }
        }
        return hello;
    }

    /** Receives the greeting of a driver. Fails if the driver does not support the scenario. */
    public Report.Hello hello(Scenario scenario) throws InterruptedException {
        if (!(receive() instanceof Report.Hello hello)) {
            throw new RunFailure("it did not say hello first");
        }
        if (!hello.scenarios().contains(scenario)) {
            throw new RunFailure("it does not offer " + scenario.label() + ", only "
                    + hello.scenarios().stream().map(Scenario::label).toList());
        }
        process.greeted();
        groupType = hello.groupType();
        hasConsumers = hello.features().contains(Feature.SHARE_CONSUMERS);
        if (groupType == GroupType.SHARE && point.ordering() != HandlerOrder.NONE) {
            throw new RunFailure("it reads by a share group, which keeps no order: set options.ordering: none");
        }
        return hello;
    }

    /** The number of members that the process adds to a group, given the number of its workers. */
    public int groupMembers(int workers) {
        return hasConsumers ? ShareOptions.consumers(point.options(), workers) : 1;
    }

    /** The type of group that the driver joins; known after {@link #hello}. */
    public GroupType groupType() {
        return groupType;
    }

    /** The options of the point, with the options that the harness adds for this driver. */
    public Map<String, String> options() {
        Map<String, String> options = new TreeMap<>(point.options());
        if (point.scenario() == Scenario.PIPELINE) {
            options.put(PassOptions.OUTPUT, cluster.topics().sink());
        }
        if (point.scenario() == Scenario.COPY) {
            options.put(PassOptions.PARTITION_AT, Integer.toString(point.partitionAt()));
        }
        options.put(PassOptions.SERIES, Boolean.toString(point.takesSeries()));
        if (groupType == GroupType.SHARE) {
            options.put(ShareOptions.BATCH_RECORDS, Long.toString(point.mostRecordsOfABatch()));
        }
        return options;
    }

    /** Configures the driver to run the point's scenario with this topic. */
    public void configure(String topic, long recordsPerPartition) {
        configure(topic, recordsPerPartition, point.scenario(), point.client(), options());
    }

    /**
     * Configures the driver with a scenario, client settings and options that may differ from the point's. All other
     * values are taken from the point.
     */
    public void configure(
            String topic,
            long recordsPerPartition,
            Scenario scenario,
            Map<String, String> client,
            Map<String, String> options) {
        process.send(new Command.Configure(
                bootstrapServers,
                cluster.client(),
                topic,
                point.partitions(),
                recordsPerPartition,
                point.valueBytes(),
                scenario,
                client,
                options,
                point.intervalMillis()));
    }

    /**
     * Begins a pass in a new consumer group and returns the group.
     *
     * @param records the maximum number of records; 0 for all
     */
    public String start(long records, double seconds) {
        String group = newGroup();
        String output = point.scenario() == Scenario.COPY ? cluster.topics().fresh(point) : "";
        process.passBegins();
        process.send(new Command.Start(group, records, seconds, output));
        return group;
    }

    /**
     * Creates a new group of the driver's type. If the driver uses share groups, the previous share group is deleted.
     */
    public String newGroup() {
        if (groupType == GroupType.SHARE) {
            cluster.groups().deleteShared();
        }
        return newGroupBeside();
    }

    /** Creates a new group without deleting other groups of the run. */
    public String newGroupBeside() {
        return groupType == GroupType.SHARE
                ? cluster.groups().makeShared(point.shareGroup())
                : cluster.groups().make(point.consumerGroup());
    }

    /** Begins a pass of a member of this group. */
    public void start(String group, long records, double seconds) {
        process.passBegins();
        process.send(new Command.Start(group, records, seconds));
    }

    /** Waits until the driver reports that it is connected and ready to begin its plan. */
    public void ready() throws InterruptedException {
        var unused = readyAt();
    }

    /** Waits until a proxy is ready, and returns the address that clients use. */
    String readyAt() throws InterruptedException {
        if (!(receive() instanceof Report.Ready ready)) {
            throw new RunFailure("it reported something else before it was ready");
        }
        return ready.address();
    }

    /** Changes the options of the running pass; see {@link Command.Change}. */
    public void change(Map<String, String> options) {
        process.send(new Command.Change(options));
    }

    /** Ends the running pass, if there is one. {@link Report.Passed} follows when the driver has closed down. */
    public void end() {
        process.send(new Command.End());
    }

    /** Halts the process until {@link #thaw}. A halted process can be closed. */
    public void freeze() throws InterruptedException {
        process.freeze();
    }

    /** Resumes the process. */
    public void thaw() throws InterruptedException {
        process.thaw();
    }

    /** Returns the next report. Fails if the driver fails or sends nothing for {@link #PATIENCE}. */
    public Report receive() throws InterruptedException {
        return receive(PATIENCE);
    }

    /**
     * Returns the next report. Fails if the driver fails or sends nothing for {@code patience}. Also fails as soon as
     * the brokers have ended.
     */
    public Report receive(Duration patience) throws InterruptedException {
        return timed(process.receive(patience, cluster::requireBrokers));
    }

    /** Returns the next report if one has already arrived, else null. */
    @Nullable
    public Report poll() throws InterruptedException {
        Report report = process.poll(Duration.ZERO);
        return report == null ? null : timed(report);
    }

    /**
     * Adds the clock error to the report of a finished pass if processes use different clocks. Fails if a record was
     * earlier than the clock error can explain.
     */
    private Report timed(Report report) {
        Long error = process.clockErrorNanos();
        if (error == null || !(report instanceof Report.Passed passed)) {
            return report;
        }
        double earlyNanos = -1e6 * passed.client().getOrDefault(Pass.EARLIEST_MILLIS, 0.0);
        if (earlyNanos > error) {
            throw new RunFailure(String.format(
                    Locale.ROOT,
                    "records arrived %.3f ms before they were due, but clocks are compared to within %.3f ms: one of"
                            + " them was set during the run",
                    earlyNanos / 1e6,
                    error / 1e6));
        }
        Map<String, Double> client = new TreeMap<>(passed.client());
        client.put(CLOCK_ERROR, error / 1e6);
        return passed.withClient(client);
    }

    /**
     * Adds the largest clock error to the figures if processes use different clocks. Keeps a larger error that is
     * already there.
     */
    public void putClockError(Map<String, Double> figures) {
        Long error = process.clockErrorNanos();
        if (error != null) {
            figures.merge(CLOCK_ERROR, error / 1e6, Math::max);
        }
    }

    /**
     * Copies the figures about the generator's priority, placement and clock from its report into the run's figures.
     */
    public static void putSender(Report.Passed sent, Map<String, Double> figures) {
        sent.client().forEach((name, figure) -> {
            if (name.equals(CLOCK_ERROR)
                    || name.equals(Pass.SENDER_NICENESS)
                    || (name.startsWith("host: ") && name.contains(" at "))) {
                figures.merge(name, figure, Math::max);
            }
        });
    }

    /** The number of cores the process may use. */
    public int cores() {
        return process.cores();
    }

    /** Waits for the report of the pass and ignores all earlier reports. */
    public Report.Passed passed() throws InterruptedException {
        while (true) {
            if (receive(PATIENCE.multipliedBy(2)) instanceof Report.Passed passed) {
                return passed;
            }
        }
    }
}
