package dev.weir.bench.workload;

import dev.weir.bench.live.Order;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/**
 * Checks the client properties and group settings that a command changes during a run. They have the same names as in
 * workload files. Stateless.
 */
public final class ClientProperties {

    private static final Map<String, ConfigDef.ConfigKey> CONSUMER =
            ConsumerConfig.configDef().configKeys();
    private static final Map<String, ConfigDef.ConfigKey> PRODUCER =
            ProducerConfig.configDef().configKeys();

    /** Properties that the processes of a run set themselves and that a workload cannot override. */
    private static final Set<String> OF_THE_RUN = Set.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            ConsumerConfig.GROUP_ID_CONFIG,
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG);

    private ClientProperties() {}

    /**
     * Refuses a command with a client property or group setting that is unknown, invalid, secret or reserved for the
     * harness.
     *
     * @throws IllegalArgumentException if the command is refused; the message names the property and the reason, or a
     *     similar name
     */
    public static void check(Order order) {
        if (!(order instanceof Order.Set set)) {
            return;
        }
        for (Map.Entry<String, String> each : set.client().entrySet()) {
            String property = each.getKey();
            if (PropertySection.CLIENT.secrets().contains(property)) {
                throw new IllegalArgumentException(Order.CLIENT + property
                        + " is a secret, and results keep the timeline: it goes into the file of --client-config");
            }
            if (!PropertySection.CLIENT.known().containsKey(property)) {
                throw new IllegalArgumentException("there is no key " + Order.CLIENT + property + " to set: no Kafka"
                        + " client knows " + property
                        + Spelling.hint(property, PropertySection.CLIENT.known().keySet()));
            }
            if (OF_THE_RUN.contains(property)) {
                throw new IllegalArgumentException(
                        Order.CLIENT + property + " cannot be set: it is the run's own, and the same for all drivers");
            }
            checkValue(property, each.getValue());
        }
        set.group().forEach(ClientProperties::checkOfGroup);
    }

    private static void checkOfGroup(String property, String value) {
        String path = Order.GROUP + property;
        if (!PropertySection.GROUP.knows(path)) {
            throw new IllegalArgumentException("there is no key " + path
                    + " to set: Kafka keeps no such setting for groups"
                    + Spelling.hint(property, PropertySection.GROUP.known().keySet()));
        }
        String objection = PropertySection.GROUP.objection(path, value);
        if (objection != null) {
            throw new IllegalArgumentException(path + "=" + value + " " + objection);
        }
    }

    /** Checks a value. Members would not start with an invalid one. */
    private static void checkValue(String property, String value) {
        ConfigDef.ConfigKey known = CONSUMER.containsKey(property) ? CONSUMER.get(property) : PRODUCER.get(property);
        if (known == null) {
            return;
        }
        try {
            Object parsed = ConfigDef.parseType(property, value, known.type);
            if (known.validator != null) {
                known.validator.ensureValid(property, parsed);
            }
        } catch (ConfigException e) {
            throw new IllegalArgumentException(
                    Order.CLIENT + property + "=" + value + " cannot be set: " + e.getMessage(), e);
        }
    }
}
