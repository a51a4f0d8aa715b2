package dev.weir.bench.measurement;

import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.figures.LiveSettings;
import dev.weir.bench.live.Order;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.LedgerFigures;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The identical groups of a changeable run, which read the same topics, and the generator that sends to them. Confined
 * to one thread, which closes it.
 */
final class LiveGroups implements AutoCloseable {
    private final LiveSender sender;
    private final TrialMembers members; // of all groups
    private final List<LiveGroup> groups = new ArrayList<>();

    private String topic = "";

    /** An action on a group that returns a description. */
    private interface Task {
        String of(LiveGroup group) throws InterruptedException;
    }

    /**
     * Groups of processes that {@link #join} starts; the generator is separate.
     *
     * @param numbers takes what comes to each group
     * @param listeners hear of the members of each group; the first one of the generator and the reader too
     */
    LiveGroups(
            DriverLauncher launcher,
            String driver,
            BenchCluster cluster,
            WorkloadPoint point,
            Path log,
            List<RunNumbers> numbers,
            IntFunction<TrialMembers.Listener> listeners) {
        this.sender = new LiveSender(launcher, cluster, point, log);
        this.members = new TrialMembers(
                List.of(), sender.session(), launcher::isStopped, cluster::requireBrokers, listeners.apply(0));
        for (int group = 0; group < numbers.size(); group++) {
            groups.add(new LiveGroup(
                    launcher, driver, cluster, point, log, numbers.get(group), members, listeners.apply(group)));
        }
    }

    TrialMembers members() {
        return members;
    }

    LiveSender sender() {
        return sender;
    }

    /** As {@link LiveGroup#requireNetworks}. */
    void requireNetworks() throws InterruptedException {
        for (LiveGroup group : groups) {
            group.requireNetworks();
        }
    }

    /** The group that faults affect. */
    LiveGroup first() {
        return groups.getFirst();
    }

    /** The number of consumers each group has. */
    int consumers() {
        return first().consumers();
    }

    /** Starts the members that the point asks for; returns when they have joined their groups. */
    void join(String newTopic, LiveSettings settings) throws InterruptedException {
        topic = newTopic;
        sender.hello();
        for (LiveGroup group : groups) {
            group.join(newTopic, settings);
        }
    }

    /** The generator begins to send soon; returns when. */
    long beginPlan(long seed, double rate) throws InterruptedException {
        return sender.begin(members, topic, seed, rate);
    }

    /** Sets the blocking time of handlers that begin from now on. */
    void work(double millis) {
        groups.forEach(group -> group.work(millis));
    }

    /** The reason why a group cannot have that many consumers; null if all can. */
    @Nullable
    String objection(int consumers) {
        return groups.stream()
                .map(group -> group.objection(consumers))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** The reason why brokers would not set this for the groups; null if they would. */
    @Nullable
    String objection(Map<String, String> config) {
        return config.isEmpty() ? null : first().objection(config);
    }

    /** Sets this for all of them. */
    void set(Map<String, String> config) {
        if (!config.isEmpty()) {
            groups.forEach(group -> group.set(config));
        }
    }

    /** Resizes each group; returns a description. */
    String resize(LiveSettings settings) throws InterruptedException {
        return each(group -> group.resize(settings));
    }

    /** Restarts whole processes of each group with these settings and returns what was done. */
    String restart(Order.RestartConsumers restart, LiveSettings settings) throws InterruptedException {
        return each(group -> group.restart(restart.of(group.consumers()), settings));
    }

    /** Restarts all processes. */
    String restart(LiveSettings settings) throws InterruptedException {
        return each(group -> group.restart(group.consumers(), settings));
    }

    private String each(Task task) throws InterruptedException {
        List<String> did = new ArrayList<>();
        for (LiveGroup group : groups) {
            String of = groups.size() == 1 ? "" : "group " + (did.size() + 1) + ": ";
            did.add(of + task.of(group));
        }
        return String.join("; ", did);
    }

    /** The number of handlers that may block at a time, in all groups together, as they began. */
    int handlers() {
        return groups.stream().mapToInt(LiveGroup::handlers).sum();
    }

    /** The assignment of partitions in each group, as figures of the run. */
    List<Map<String, Double>> assignments() throws InterruptedException {
        List<Map<String, Double>> all = new ArrayList<>();
        for (LiveGroup group : groups) {
            all.add(group.assignment());
        }
        return all;
    }

    /** Returns the number of records present that groups have not committed, counted once per group. */
    long lag() {
        return groups.stream().mapToLong(LiveGroup::lag).sum();
    }

    /** As {@link LiveGroup#unread}: groups that copy are alone. */
    long unread() {
        return first().unread();
    }

    /** The number of records each partition has. */
    long[] ends() {
        return first().ends();
    }

    /** The ledger of each group at the end. */
    List<LedgerFigures> figures(long[] ends) {
        return groups.stream().map(group -> group.figures(ends)).toList();
    }

    /** Makes all members leave; returns when they have reported their deliveries. */
    void leave() throws InterruptedException {
        for (LiveGroup group : groups) {
            group.leave();
        }
        members.endReader();
    }

    @Override
    public void close() {
        sender.close();
        groups.forEach(LiveGroup::close);
    }
}
