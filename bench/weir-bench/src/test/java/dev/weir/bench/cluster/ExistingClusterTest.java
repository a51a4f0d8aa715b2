package dev.weir.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExistingClusterTest {

    @Test
    void description_showsOnlyWhatKafkaKnowsToBeNoSecret() {
        ExistingCluster cluster = new ExistingCluster(
                "h:1",
                Map.of(
                        "security.protocol", "SASL_SSL",
                        "fetch.min.bytes", "7",
                        "ssl.keystore.password", "hush",
                        "sasl.jaas.config", "hush",
                        "our.vault.role", "hush"),
                ExistingCluster.PREFIX,
                false);
        assertThat(cluster.described())
                .containsEntry("client.security.protocol", "SASL_SSL")
                .containsEntry("client.fetch.min.bytes", "7")
                .containsEntry("client.our.vault.role", "[hidden]")
                .doesNotContainValue("hush");
        assertThat(cluster.toString()).doesNotContain("hush").contains("h:1");
        assertThat(cluster.isSecured()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "two words", "a/b"})
    void prefix_thatNamesAnybodysTopics_isRefused(String prefix) {
        assertThatThrownBy(() -> new ExistingCluster("h:1", Map.of(), prefix, false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("prefix=" + prefix);
    }

    @Test
    void topics_ofOthers_areNotTakenForACampaigns_whateverThePrefix() {
        ExistingCluster cluster = new ExistingCluster("h:1", Map.of(), "orders-", false);
        assertThat(List.of("orders-fill-p2-n5-v50-b131072-none", "orders-asimov-p2-n5", "orders-sink-p6-01234567-89ab"))
                .allMatch(cluster::isOfCampaigns);
        assertThat(List.of("orders-eu", "orders-sink-p6", "orders-fill", "fill-p2-n5-v50-b131072-none", "orders-"))
                .noneMatch(cluster::isOfCampaigns);
        assertThat(cluster.isGroupOfCampaigns("orders-group-" + UUID.randomUUID()))
                .isTrue();
        assertThat(cluster.isGroupOfCampaigns("orders-group-1")).isFalse();
    }
}
