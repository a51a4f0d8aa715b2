package dev.weir.bench.workload;

import dev.weir.bench.live.Fault;
import dev.weir.bench.live.Order;
import dev.weir.driver.HandlerWork;
import dev.weir.driver.Scenario;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Decides which commands the runs at a point accept, and how a command changes a search.
 * Stateless.
 */
public final class AcceptedOrders {
    /** The settings that a run needs in order to accept changes, as text for messages. */
    static final String NEEDED = Combinations.SENT_TO + ", or scenario to steady, and method.live";

    private AcceptedOrders() {}

    /**
     * Refuses a command that a run of the point cannot execute.
     *
     * @throws IllegalArgumentException if the command is refused; the message says which key is at fault and which
     *     setting would allow the command
     */
    public static void check(WorkloadPoint point, Order order) {
        if (point.isLive()) {
            checkOfLive(order);
        }
        if (order instanceof Order.Set set
                && set.values().containsKey(Order.WORK)
                && point.scenario() != Scenario.WORK) {
            throw new IllegalArgumentException(
                    "work cannot be set: scenario " + point.scenario().label() + " has no handlers, scenario work has");
        }
        if (order instanceof Fault fault && fault.kind().needsProxy() && !point.usesProxy()) {
            throw new IllegalArgumentException(fault.kind().label()
                    + " needs a network that can fail: set method.proxy: true in the workload file");
        }
        if (order instanceof Fault fault && fault.kind().needsDisk() && !point.hasDiskFaults()) {
            throw new IllegalArgumentException(fault.kind().label()
                    + " needs a disk that can fail: set method.diskFaults: true in the workload file");
        }
        if (order instanceof Fault fault && fault.kind().isOfBroker() && fault.count() > point.brokers()) {
            throw new IllegalArgumentException(
                    "there is no broker " + fault.count() + ", there are " + point.brokers() + ": " + fault.text());
        }
    }

    /**
     * Returns a search's point with the changes of a command. The search restarts at this point. The
     * {@code producerRate} of the command, if any, becomes the first rate.
     *
     * @throws IllegalArgumentException if the command sets a key that cannot be changed in a search; the message names
     *     the key
     */
    public static WorkloadPoint changed(WorkloadPoint point, Order.Set set) {
        check(point, set);
        Map<String, String> changed = new TreeMap<>(point.settings());
        set.values().forEach((key, value) -> {
            switch (key) {
                case Order.PRODUCER_RATE -> changed.put(ExploreSettings.START_RATE, value);
                case Order.WORK ->
                    changed.put("options." + HandlerWork.MILLIS, Double.toString(Order.Set.workMillis(value)));
                case Order.CONSUMERS ->
                    throw new IllegalArgumentException(
                            "consumers cannot be set in a search: explore.members and options.concurrency of the file"
                                    + " set their number");
                default -> changed.put(key, value);
            }
        });
        return new WorkloadPoint(point.dimensions(), Collections.unmodifiableMap(changed));
    }

    /** Checks a command to a live run. */
    private static void checkOfLive(Order order) {
        boolean isRateAlone =
                order instanceof Order.Set set && set.values().keySet().equals(Set.of(Order.PRODUCER_RATE));
        boolean isOfTime = order instanceof Order.Pause
                || order instanceof Order.DiscardStats
                || order instanceof Order.Extend
                || order instanceof Order.End;
        if (!isRateAlone && !isOfTime) {
            throw new IllegalArgumentException(
                    order.text() + ": scenario steady has one process, which commits nothing:"
                            + " it can be changed by set of producerRate, pause, discard-stats, extend and end");
        }
    }
}
