package dev.weir.checks.integration;

import dev.weir.testkit.KafkaCluster;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

/** Changes the limits of an existing topic. */
final class TopicLimits {

    private TopicLimits() {}

    static void setMaxMessageBytes(KafkaCluster cluster, String topic, String bytes) throws Exception {
        ConfigEntry limit = new ConfigEntry("max.message.bytes", bytes);
        cluster.admin()
                .incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.TOPIC, topic),
                        List.of(new AlterConfigOp(limit, AlterConfigOp.OpType.SET))))
                .all()
                .get();
    }
}
