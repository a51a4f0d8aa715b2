package dev.weir.driver;

import java.util.HashMap;
import java.util.Map;

/**
 * Builds the properties of a pass's Kafka clients. They come from several sources, and a later source overrides an
 * earlier one: access to the brokers, properties shared by all drivers, the driver's own properties, and the workload's
 * properties. Only the harness sets the brokers' addresses, the group and, for consumers, {@code enable.auto.commit}.
 * Immutable; the caller may modify the returned maps.
 */
public final class ClientConfig {
    /** Consumer properties for large fetches, used by the drivers whose names end with {@code -tuned}. */
    public static final Map<String, String> LARGE_FETCHES = Map.of(
            "max.poll.records", "5000",
            "max.partition.fetch.bytes", Integer.toString(8 << 20),
            "receive.buffer.bytes", Integer.toString(1 << 20));

    private final Command.Configure configuration;
    private final String group;

    ClientConfig(Command.Configure configuration, String group) {
        this.configuration = configuration;
        this.group = group;
    }

    /** Properties of a consumer without auto-commit that starts at the first record. */
    public Map<String, String> consumer(Map<String, String> driversOwn) {
        Map<String, String> config = connection();
        config.put("auto.offset.reset", "earliest");
        config.putAll(driversOwn);
        config.putAll(configuration.client());
        config.put("bootstrap.servers", configuration.bootstrapServers());
        config.put("group.id", group);
        config.put("enable.auto.commit", "false");
        return config;
    }

    /** Properties of a consumer that a library polls. {@link PolledRecords} counts the records of each poll. */
    public Map<String, String> consumerOfLibrary(Map<String, String> driversOwn) {
        Map<String, String> config = consumer(driversOwn);
        config.merge("interceptor.classes", PolledRecords.class.getName(), (others, own) -> others + "," + own);
        return config;
    }

    /** Properties of a share consumer. The harness sets its start position and isolation level on the group. */
    public Map<String, String> share(Map<String, String> driversOwn) {
        Map<String, String> config = producer(driversOwn);
        config.remove("isolation.level");
        config.put("group.id", group);
        return config;
    }

    /** Properties of a producer. */
    public Map<String, String> producer(Map<String, String> driversOwn) {
        Map<String, String> config = connection();
        config.putAll(driversOwn);
        config.putAll(configuration.client());
        config.put("bootstrap.servers", configuration.bootstrapServers());
        return config;
    }

    /** The settings that any client needs to reach the brokers. */
    public Map<String, String> connection() {
        Map<String, String> config = new HashMap<>(configuration.connection());
        config.put("bootstrap.servers", configuration.bootstrapServers());
        return config;
    }
}
