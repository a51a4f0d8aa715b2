package dev.weir.spring.testing;

import dev.weir.testkit.KafkaCluster;
import java.util.List;
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
        KafkaCluster cluster = KafkaCluster.builder().start();
        for (String topic : topics) {
            String[] parts = topic.split(":", 2);
            cluster.createTopic(parts[0], parts.length == 1 ? 1 : Integer.parseInt(parts[1]));
        }
        return cluster;
    }
}
