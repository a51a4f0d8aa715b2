package dev.weir.bench.workload;

import dev.weir.bench.live.Order;

/** Properties of Kafka clients that may be ordered while a run goes on: those of a workload file. Stateless. */
public final class ClientProperties {

    private ClientProperties() {}

    /**
     * Refuses an order with a property that no Kafka client knows, or that is a secret.
     *
     * @throws IllegalArgumentException naming it, and what was probably meant
     */
    public static void check(Order order) {
        if (!(order instanceof Order.Set set)) {
            return;
        }
        for (String property : set.client().keySet()) {
            if (Key.CLIENT_SECRETS.contains(property)) {
                throw new IllegalArgumentException(Order.CLIENT + property
                        + " is a secret, and results keep the timeline: it goes into the file of --client-config");
            }
            if (!Key.CLIENT_PROPERTIES.contains(property)) {
                throw new IllegalArgumentException("there is no key " + Order.CLIENT + property + " to set: no Kafka"
                        + " client knows " + property + Spelling.hint(property, Key.CLIENT_PROPERTIES));
            }
        }
    }
}
