package dev.weir.spring.test;

import dev.weir.testkit.KafkaCluster;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The broker of a {@link WeirTest}, with its topics. */
@AutoConfiguration(beforeName = "dev.weir.spring.WeirClusterAutoConfiguration")
class WeirTestAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    KafkaCluster weirTestCluster(@Value("${weir-test.topics:}") String[] topics) {
        KafkaCluster cluster = KafkaCluster.builder().start();
        for (String topic : topics) {
            String[] parts = topic.split(":", 2);
            cluster.createTopic(parts[0], parts.length == 1 ? 1 : Integer.parseInt(parts[1]));
        }
        return cluster;
    }
}
