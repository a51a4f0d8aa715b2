package dev.weir.spring;

import dev.weir.testkit.KafkaCluster;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.context.annotation.Bean;

/** Connects the application to a test's {@link KafkaCluster} bean. */
@AutoConfiguration(before = KafkaAutoConfiguration.class)
@ConditionalOnClass(KafkaCluster.class)
@ConditionalOnBean(KafkaCluster.class)
class WeirClusterAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(KafkaConnectionDetails.class)
    KafkaConnectionDetails weirClusterConnectionDetails(KafkaCluster cluster) {
        return () -> List.of(cluster.bootstrapServers().split(","));
    }
}
