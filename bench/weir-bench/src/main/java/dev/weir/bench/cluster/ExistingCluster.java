package dev.weir.bench.cluster;

import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;

/**
 * An existing cluster, and the resources that a campaign may leave in it. Immutable.
 *
 * @param client properties that every Kafka client needs to reach the cluster; may contain secrets, so show only
 *     {@link #described}
 * @param prefix prefix of all topics and groups that a campaign creates
 * @param keepsTopics whether filled topics stay for the next campaign
 */
public record ExistingCluster(String bootstrapServers, Map<String, String> client, String prefix, boolean keepsTopics) {

    /** The default prefix. */
    public static final String PREFIX = "weir-bench-";

    private static final String HIDDEN = "[hidden]";

    /** Checks the prefix. It must not be empty, because it identifies a campaign's topics. */
    public ExistingCluster {
        client = Map.copyOf(client);
        if (!prefix.matches("[A-Za-z0-9._-]{3,80}")) {
            throw new IllegalArgumentException(
                    "the prefix of topics must be 3 to 80 letters, digits, dots, hyphens and underscores: prefix="
                            + prefix);
        }
    }

    /** Returns whether brokers are reached through TLS, SASL or both. */
    public boolean isSecured() {
        return !protocol().equals("PLAINTEXT");
    }

    /** Returns whether the topic's name is one that campaigns with this prefix use. */
    boolean isOfCampaigns(String topic) {
        return topic.startsWith(prefix)
                && topic.substring(prefix.length())
                        .matches(
                                "fill-p\\d+-n\\d+-v\\d+-b\\d+-.*|asimov-p\\d+-n\\d+|(sink|output)-p\\d+(-topic\\d+)?-[0-9a-f-]{13}");
    }

    /** Returns whether the group's name is one that campaigns with this prefix use. */
    boolean isGroupOfCampaigns(String group) {
        return group.startsWith(prefix) && group.substring(prefix.length()).matches("group-[0-9a-f-]{36}");
    }

    /** Returns the protocol that clients use to reach the brokers. */
    public String protocol() {
        return client.getOrDefault("security.protocol", "PLAINTEXT");
    }

    /** Returns the client properties, without values that may be secret. */
    Map<String, String> described() {
        Map<String, String> described = new TreeMap<>();
        client.forEach((name, value) -> described.put("client." + name, isPublic(name) ? value : HIDDEN));
        return described;
    }

    private static boolean isPublic(String name) {
        for (ConfigDef known :
                new ConfigDef[] {ConsumerConfig.configDef(), ProducerConfig.configDef(), AdminClientConfig.configDef()
                }) {
            ConfigKey key = known.configKeys().get(name);
            if (key != null) {
                return key.type() != ConfigDef.Type.PASSWORD;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return bootstrapServers + " " + described();
    }
}
