package dev.weir.examples.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.spring.WeirPipelines;
import dev.weir.spring.testing.WeirTest;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.time.Duration;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;

/** Tests the pipelines of the application alone. */
@WeirTest(topics = {"orders:6", "invoices:6", "orders-failed"})
@Import(Pricing.class)
class InvoicingSliceTest {

    @Autowired
    private KafkaCluster kafka;

    @Autowired
    private ApplicationContext application;

    @Test
    @Tag("long")
    void orders_becomeInvoices_withoutAWebServer() {
        Records.produce(kafka.bootstrapServers(), "orders", 0, 100, 10);
        await().atMost(Duration.ofMinutes(1))
                .until(() -> kafka.committedOffsets("invoicing").equals(kafka.endOffsets("orders")));

        assertThat(Records.readAll(kafka.bootstrapServers(), "invoices", IsolationLevel.READ_UNCOMMITTED))
                .hasSize(100)
                .allSatisfy(invoice ->
                        assertThat(new String(invoice.value(), UTF_8)).isNotEmpty());
        assertThat(application.getBean(WeirPipelines.class).running("invoicing"))
                .isPresent();
        assertThat(application).isNotInstanceOf(ServletWebServerApplicationContext.class);
    }
}
