package dev.weir.spring;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.Pipeline;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.Environment;

/** The settings of Weir's clients, and the runner of the application's pipelines. */
@AutoConfiguration(after = KafkaAutoConfiguration.class)
@EnableConfigurationProperties(WeirProperties.class)
class WeirAutoConfiguration {

    /** Spring's default for the shutdown phase timeout. */
    private static final Duration PHASE_TIMEOUT = Duration.ofSeconds(30);

    @Bean
    @ConditionalOnMissingBean
    WeirSettings weirSettings(
            KafkaProperties spring, KafkaConnectionDetails connection, WeirProperties weir, Environment environment) {
        ClientVersion.warnIfOld();
        return new WeirSettings(spring, connection, weir, environment);
    }

    @Bean
    @Scope(BeanDefinition.SCOPE_PROTOTYPE)
    @ConditionalOnMissingBean
    ConsumerSettings.Builder<byte[], byte[]> weirConsumerSettings(WeirSettings settings) {
        return settings.consumer();
    }

    @Bean
    @Scope(BeanDefinition.SCOPE_PROTOTYPE)
    @ConditionalOnMissingBean
    ProducerSettings.Builder<byte[], byte[]> weirProducerSettings(WeirSettings settings) {
        return settings.producer();
    }

    @Bean
    @ConditionalOnMissingBean
    WeirPipelines weirPipelines(
            ApplicationContext application, WeirProperties properties, ObjectProvider<MeterRegistry> registries) {
        Duration phaseTimeout = Binder.get(application.getEnvironment())
                .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
                .orElse(PHASE_TIMEOUT);
        return new WeirPipelines(
                () -> pipelines(application),
                properties,
                phaseTimeout,
                registries::getIfUnique,
                () -> SpringApplication.exit(application));
    }

    /** Looks up each bean by name, because getBeansOfType() silently omits beans that are being created. */
    private static Map<String, Pipeline> pipelines(ApplicationContext application) {
        Map<String, Pipeline> found = new TreeMap<>();
        for (String name : application.getBeanNamesForType(Pipeline.class)) {
            found.put(name, application.getBean(name, Pipeline.class));
        }
        return found;
    }
}
