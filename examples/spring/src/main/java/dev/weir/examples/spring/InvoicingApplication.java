package dev.weir.examples.spring;

import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.RecordOrdering;
import dev.weir.spring.WeirSettings;
import dev.weir.stream.Pipeline;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.boot.ExitCodeEvent;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;

/** An application with one pipeline. */
@SpringBootApplication(proxyBeanMethods = false)
public class InvoicingApplication {

    /** Ends with exit code 1 if the pipeline fails. */
    public static void main(String[] args) {
        SpringApplication application = new SpringApplication(InvoicingApplication.class);
        application.addListeners((ApplicationListener<ExitCodeEvent>) event -> System.exit(event.getExitCode()));
        application.run(args);
    }

    /** The invoicing pipeline. It runs with the application, and its name is the name of this bean. */
    @Bean
    Pipeline invoicing(WeirSettings settings, Pricing pricing) {
        var orders = settings.consumer(new StringDeserializer(), new StringDeserializer())
                .build();
        var invoices = settings.producer(new StringSerializer(), new StringSerializer())
                .build();
        return KafkaFlow.from(orders, "orders")
                .handle(64, RecordOrdering.byKey(), pricing::invoice)
                .deadLetter("orders-failed")
                .produceTo(invoices, invoice -> new ProducerRecord<>("invoices", invoice.customer(), invoice.text()));
    }
}
