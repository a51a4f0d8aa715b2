package dev.weir.spring.testing;

import dev.weir.testkit.KafkaCluster;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Starts the broker of a {@link WeirTest} and creates its topics. */
@AutoConfiguration(beforeName = "dev.weir.spring.WeirClusterAutoConfiguration")
class WeirTestAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    KafkaCluster weirTestCluster(Environment environment) {
        List<String> topics = Binder.get(environment)
                .bind("weir-test.topics", Bindable.listOf(String.class))
                .orElse(List.of());
        Map<String, Integer> partitions = partitions(topics);
        KafkaCluster cluster = KafkaCluster.builder().start();
        try {
            partitions.forEach(cluster::createTopic);
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** Returns the partition count of each topic. Called before the broker starts, because a topic may be invalid. */
    static Map<String, Integer> partitions(List<String> topics) {
        Map<String, Integer> partitions = new LinkedHashMap<>();
        for (String topic : topics) {
            if (!topic.matches("[^:]+(:[1-9][0-9]{0,4})?")) {
                throw new IllegalArgumentException(
                        "a topic of @WeirTest is a name or NAME:PARTITIONS, such as orders:6: topics=" + topic);
            }
            String[] parts = topic.split(":", 2);
            int count = parts.length == 1 ? 1 : Integer.parseInt(parts[1]);
            Integer before = partitions.putIfAbsent(parts[0], count);
            if (before != null && before != count) {
                throw new IllegalArgumentException("@WeirTest names topic " + parts[0] + " with " + before
                        + " partitions and with " + count + ": topics=" + topic);
            }
        }
        return partitions;
    }
}
