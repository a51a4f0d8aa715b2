package dev.weir.bench.cluster;

import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;

/**
 * A cluster that is there already, and what a campaign may leave in it. Immutable.
 *
 * @param client properties that every Kafka client needs to reach it; secrets among them, so that only
 *     {@link #described} may be shown
 * @param prefix what the names of all topics and groups begin with that a campaign creates
 * @param keepsTopics whether filled topics stay for the next campaign
 */
public record ExistingCluster(String bootstrapServers, Map<String, String> client, String prefix, boolean keepsTopics) {

    /** Names what is a campaign's, unless told otherwise. */
    public static final String PREFIX = "weir-bench-";

    private static final String HIDDEN = "[hidden]";

    /** Checks the prefix: with an empty one, a campaign's topics could be anybody's. */
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

    /**
     * Returns whether the topic has the prefix, and beyond it such a name as campaigns give: with any prefix, nobody
     * else's.
     */
    boolean isOfCampaigns(String topic) {
        return topic.startsWith(prefix)
                && topic.substring(prefix.length())
                        .matches(
                                "fill-p\\d+-n\\d+-v\\d+-b\\d+-.*|asimov-p\\d+-n\\d+|(sink|output)-p\\d+(-topic\\d+)?-[0-9a-f-]{13}");
    }

    /** The same of a consumer group. */
    boolean isGroupOfCampaigns(String group) {
        return group.startsWith(prefix) && group.substring(prefix.length()).matches("group-[0-9a-f-]{36}");
    }

    /** The protocol clients speak to the brokers. */
    public String protocol() {
        return client.getOrDefault("security.protocol", "PLAINTEXT");
    }

    /** The properties, with the values of those only that Kafka knows to be no secret. */
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
