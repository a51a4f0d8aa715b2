package dev.weir.bench.workload;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.apache.kafka.server.config.AbstractKafkaConfig;
import org.jspecify.annotations.Nullable;

/**
 * A section of workload files whose keys are defined by Kafka instead of Weir: properties of clients, or settings of
 * groups or brokers. Immutable.
 *
 * @param name the section's name in the file
 * @param known the known properties by name, except secrets and properties that the harness sets itself
 * @param secrets known properties that a workload must not contain, because results store the workload
 * @param own known properties that only the harness may set
 * @param about a human-readable description
 */
record PropertySection(
        String name, Map<String, ConfigDef.ConfigKey> known, Set<String> secrets, Set<String> own, String about) {

    /** Properties of the drivers' Kafka clients. */
    static final PropertySection CLIENT = of(
            "client",
            List.of(ConsumerConfig.configDef(), ProducerConfig.configDef()),
            Set.of(),
            "Properties of the Kafka clients of all drivers, over the drivers' own.");

    /** Properties of the producers that send records at planned times. */
    static final PropertySection PRODUCER = of(
            "producer",
            List.of(ProducerConfig.configDef()),
            Set.of("bootstrap.servers", "key.serializer", "value.serializer", "transactional.id", "partitioner.class"),
            "Properties of the producers that send by a plan while a group reads.");

    /** Settings of the groups that read the topics. */
    static final PropertySection GROUP = of(
            "group",
            List.of(GroupConfig.CONFIG_DEF),
            Set.of("share.auto.offset.reset"),
            "Settings of the groups that read, which brokers keep for them: consumer.* of consumer groups of the new"
                    + " protocol, share.* of share groups.");

    /** Settings of the brokers that a campaign starts. */
    static final PropertySection BROKER = of(
            "broker",
            List.of(AbstractKafkaConfig.CONFIG_DEF),
            Set.of(
                    "process.roles",
                    "node.id",
                    "broker.rack",
                    "listeners",
                    "advertised.listeners",
                    "controller.listener.names",
                    "controller.quorum.voters",
                    "controller.quorum.bootstrap.servers",
                    "listener.security.protocol.map",
                    "inter.broker.listener.name",
                    "log.dir",
                    "log.dirs",
                    "metadata.log.dir"),
            "Settings of the brokers that a campaign starts, over the harness's own.");

    static final List<PropertySection> ALL = List.of(CLIENT, PRODUCER, GROUP, BROKER);

    private static PropertySection of(String name, List<ConfigDef> definitions, Set<String> own, String about) {
        Map<String, ConfigDef.ConfigKey> known = new TreeMap<>();
        Set<String> secrets = new TreeSet<>();
        for (ConfigDef definition : definitions) {
            definition.configKeys().forEach((property, key) -> {
                if (key.type() == ConfigDef.Type.PASSWORD) {
                    secrets.add(property);
                } else if (!own.contains(property)) {
                    known.putIfAbsent(property, key);
                }
            });
        }
        return new PropertySection(name, known, secrets, own, about);
    }

    /** Returns the section for a dotted path or for the name of a section; null if there is none. */
    static @Nullable PropertySection ofPath(String path) {
        return ALL.stream()
                .filter(section -> path.equals(section.name) || path.startsWith(section.name + "."))
                .findFirst()
                .orElse(null);
    }

    /** Returns the name of the property to which a path in this section refers. */
    String property(String path) {
        return path.substring(Math.min(path.length(), name.length() + 1));
    }

    /** Returns whether a path refers to a known property of this section. */
    boolean knows(String path) {
        return known.containsKey(property(path));
    }

    /** Returns the reason why a path must not be set although its property is known; null if it may be set. */
    @Nullable
    String refusal(String path) {
        String property = property(path);
        if (secrets.contains(property)) {
            return path + " is a secret, and results keep the workload: "
                    + (this == CLIENT || this == PRODUCER
                            ? "it goes into the file of --client-config"
                            : "a campaign accepts no secrets of its brokers");
        }
        return own.contains(property) ? path + " is set by the campaign itself: leave it out" : null;
    }

    /** Returns the reason why Kafka would refuse the value; null if Kafka would accept it. */
    @Nullable
    String objection(String path, String value) {
        ConfigDef.ConfigKey key = known.get(property(path));
        if (key == null) {
            return null;
        }
        try {
            Object parsed = ConfigDef.parseType(key.name, value, key.type);
            if (key.validator != null) {
                key.validator.ensureValid(key.name, parsed);
            }
            return null;
        } catch (ConfigException e) {
            return "cannot be set: " + e.getMessage();
        }
    }

    /** Returns the full paths of all known properties. */
    Collection<String> paths() {
        return known.keySet().stream().map(property -> name + "." + property).toList();
    }
}
