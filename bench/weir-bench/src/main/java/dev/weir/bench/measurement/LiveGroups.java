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
 * The consumer groups of a changeable run, with the generator that sends to them. All groups are identical and read the
 * same topics. Confined to one thread, which also closes this object.
 */
final class LiveGroups implements AutoCloseable {
    private final LiveSender sender;
    private final TrialMembers members; // members of all groups
    private final List<LiveGroup> groups = new ArrayList<>();

    private String topic = "";

    /** Acts on a group and returns a description of the action. */
    private interface Task {
        String of(LiveGroup group) throws InterruptedException;
    }

    /**
     * Starts the generator's process. {@link #join} starts the processes of the groups.
     *
     * @param numbers track the received records, one per group
     * @param listeners returns the listener of a group's members; the first group's listener also receives the reports
     *     of the generator and of the reader
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

    /** Throws a {@code RunFailure} if the proxy of a member's network is gone. */
    void requireNetworks() throws InterruptedException {
        for (LiveGroup group : groups) {
            group.requireNetworks();
        }
    }

    /** The group that faults affect. */
    LiveGroup first() {
        return groups.getFirst();
    }

    int consumers() {
        return first().consumers();
    }

    /** Starts the members that the workload point requests and returns when they have joined their groups. */
    void join(String newTopic, LiveSettings settings) throws InterruptedException {
        topic = newTopic;
        sender.hello();
        for (LiveGroup group : groups) {
            group.join(newTopic, settings);
        }
    }

    /** Schedules the generator's send plan to begin shortly and returns the start time, as {@link System#nanoTime}. */
    long beginPlan(long seed, double rate) throws InterruptedException {
        return sender.begin(members, topic, seed, rate);
    }

    void work(double millis) {
        groups.forEach(group -> group.work(millis));
    }

    /** The reason why one of the groups cannot have the given number of consumers; null if every group can. */
    @Nullable
    String objection(int consumers) {
        return groups.stream()
                .map(group -> group.objection(consumers))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** The reason why the brokers would refuse these group settings; null if they would accept them. */
    @Nullable
    String objection(Map<String, String> config) {
        return config.isEmpty() ? null : first().objection(config);
    }

    void set(Map<String, String> config) {
        if (!config.isEmpty()) {
            groups.forEach(group -> group.set(config));
        }
    }

    /** Changes the number of consumers of each group and returns a description of the changes. */
    String resize(LiveSettings settings) throws InterruptedException {
        return each(group -> group.resize(settings));
    }

    /** Restarts whole processes of each group with these settings and returns what was done. */
    String restart(Order.RestartConsumers restart, LiveSettings settings) throws InterruptedException {
        return each(group -> group.restart(restart.of(group.consumers()), settings));
    }

    /** Restarts all processes of every group with these settings and returns what was done. */
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

    /** The number of handlers that may block at the same time, in all groups at their initial size. */
    int handlers() {
        return groups.stream().mapToInt(LiveGroup::handlers).sum();
    }

    List<Map<String, Double>> assignments() throws InterruptedException {
        List<Map<String, Double>> all = new ArrayList<>();
        for (LiveGroup group : groups) {
            all.add(group.assignment());
        }
        return all;
    }

    /** Returns the number of uncommitted records, summed over all groups. */
    long lag() {
        return groups.stream().mapToLong(LiveGroup::lag).sum();
    }

    /** The number of unread output records, see {@link LiveGroup#unread}. */
    long unread() {
        return first().unread();
    }

    long[] ends() {
        return first().ends();
    }

    List<LedgerFigures> figures(long[] ends) {
        return groups.stream().map(group -> group.figures(ends)).toList();
    }

    /** Makes all members leave, then stops the reader of their output. Returns when all have reported. */
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
