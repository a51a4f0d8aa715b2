package dev.weir.bench.cluster;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

/** The configuration of a broker. Stateless. */
final class BrokerConfig {

    private BrokerConfig() {}

    /** Returns the settings that are not defaults, without secrets. Their names begin with {@code broker.}. */
    static Map<String, String> of(Admin admin, String broker) {
        Map<String, String> settings = new TreeMap<>();
        ConfigResource resource = new ConfigResource(ConfigResource.Type.BROKER, broker);
        Asked.of(
                        "what they are set to",
                        admin.describeConfigs(List.of(resource)).all())
                .values()
                .stream()
                .flatMap(config -> config.entries().stream())
                .filter(entry -> entry.source() != ConfigEntry.ConfigSource.DEFAULT_CONFIG && !entry.isSensitive())
                .forEach(entry -> settings.put("broker." + entry.name(), String.valueOf(entry.value())));
        return settings;
    }
}
