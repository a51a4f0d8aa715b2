package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class LeanSettingsTest {

    private static LeanSettings.Builder settings() {
        return LeanSettings.builder().bootstrapServers("127.0.0.1:9092");
    }

    /** Regression: a Kafka property that is also a setting of Weir was silently ignored. */
    @Test
    void propertyOfTheClient_thatIsASettingHere_setsIt() {
        Properties file = new Properties();
        file.setProperty("fetch.max.wait.ms", "250");
        file.setProperty("isolation.level", "read_committed");
        file.setProperty("group.id", "of another program");
        LeanSettings made =
                settings().property("fetch.min.bytes", "1000").properties(file).build();
        assertThat(made.minFetchBytes()).isEqualTo(1_000);
        assertThat(made.maxFetchWait()).isEqualTo(Duration.ofMillis(250));
        assertThat(made.readCommitted()).isTrue();
    }

    @Test
    void settingSaidTwice_isTheLastOne() {
        assertThat(settings()
                        .property("max.poll.records", "7")
                        .maxPollRecords(8)
                        .build()
                        .maxPollRecords())
                .isEqualTo(8);
    }

    @Test
    void propertyThatIsNoNumber_isRefusedByName() {
        assertThatThrownBy(() -> settings().property("fetch.min.bytes", "1k"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("fetch.min.bytes must be a whole number: fetch.min.bytes=1k");
        assertThatThrownBy(() -> settings()
                        .property("max.poll.records", "99999999999999")
                        .property("fetch.max.bytes", "1")
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxFetchBytes must be 1024 to");
    }

    @Test
    void secrets_areNotShown() {
        LeanSettings made = settings()
                .property("ssl.key.password", "hush")
                .property("sasl.jaas.config", "x required password=\"hush\";")
                .property("sasl.oauthbearer.token.endpoint.url", "https://me:hush@idp.example/token")
                .build();
        assertThat(made.toString())
                .startsWith("LeanSettings[properties=[bootstrap.servers, sasl.jaas.config, ")
                .contains("readCommitted=false")
                .doesNotContain("hush");
    }
}
