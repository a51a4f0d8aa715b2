package dev.weir.bench.figures;

import dev.weir.bench.live.Order;
import java.util.Map;
import java.util.TreeMap;

/**
 * The settings that can be changed while a run is being measured. Immutable.
 *
 * @param producerRate records that are due per second
 * @param workMillis time for which a handler blocks
 * @param consumers number of consumers in the group
 * @param client properties of the members' Kafka clients
 */
public record LiveSettings(double producerRate, double workMillis, int consumers, Map<String, String> client) {

    /** Copies {@code client}. */
    public LiveSettings {
        client = Map.copyOf(client);
    }

    /** Returns these settings, with the values in {@code set} replacing the current ones. */
    public LiveSettings with(Order.Set set) {
        String rate = set.values().get(Order.PRODUCER_RATE);
        String work = set.values().get(Order.WORK);
        String wanted = set.values().get(Order.CONSUMERS);
        Map<String, String> properties = new TreeMap<>(client);
        properties.putAll(set.client());
        return new LiveSettings(
                rate == null ? producerRate : Double.parseDouble(rate),
                work == null ? workMillis : Order.Set.workMillis(work),
                wanted == null ? consumers : Integer.parseInt(wanted),
                properties);
    }

    /** Returns these settings without load: nothing is sent, and handlers take no time. */
    public LiveSettings drained() {
        return new LiveSettings(0, 0, consumers, client);
    }

    public LiveSettings withConsumers(int other) {
        return new LiveSettings(producerRate, workMillis, other, client);
    }
}
