package dev.weir.command.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.security.auth.login.LoginException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientFaultTest {

    private static final Map<String, String> SETTINGS = Map.of(
            "ssl.truststore.location",
            "/nope",
            "ssl.truststore.password",
            "a-secret",
            "sasl.jaas.config",
            "org.example.Login required;",
            "interceptor.classes",
            "org.example.Absent");

    private static String sentence(Throwable fault) {
        return ClientFault.of(fault, SETTINGS).sentence();
    }

    private static KafkaException wrapped(String message, Throwable cause) {
        return new KafkaException("Failed to create new KafkaAdminClient", new KafkaException(message, cause));
    }

    @Test
    void absentFile_isToldWithItsSetting() {
        assertThat(sentence(wrapped("Failed to load SSL keystore /nope of type JKS", new NoSuchFileException("/nope"))))
                .isEqualTo("ssl.truststore.location=/nope: no such file or folder");
    }

    @Test
    void wrongPassword_isToldWithTheFileThatItDoesNotOpen_andNotShown() {
        assertThat(sentence(wrapped(
                        "Failed to load SSL keystore /nope of type JKS",
                        new IOException("keystore password was incorrect"))))
                .isEqualTo("ssl.truststore.location=/nope: keystore password was incorrect");
    }

    @Test
    void login_isToldWithItsSetting_andWithoutItsValue() {
        assertThat(sentence(wrapped("x", new LoginException("unable to find LoginModule class: org.example.Login"))))
                .isEqualTo("sasl.jaas.config: unable to find LoginModule class: org.example.Login");
    }

    @Test
    void absentClass_isToldWithItsSetting() {
        assertThat(sentence(wrapped(
                        "Class org.example.Absent cannot be found", new ClassNotFoundException("org.example.Absent"))))
                .isEqualTo("interceptor.classes: no such class: org.example.Absent");
    }

    @Test
    void configException_saysItAll() {
        assertThat(sentence(new ConfigException("security.protocol", "PLANTEXT", "no such protocol")))
                .isEqualTo("Invalid value PLANTEXT for configuration security.protocol: no such protocol");
    }

    @ParameterizedTest
    @CsvSource({
        "sasl.oauthbearer.token.endpoint.url, https://me:hunter2@idp.example/token",
        "sasl.oauthbearer.token.endpoint.url, https://me:hun/ter2@idp.example/token?client_secret=hunter2",
        "sasl.oauthbearer.token.endpoint.url, https://idp.example/token?a=b&client_secret=hunter2",
        "sasl.oauthbearer.jwks.endpoint.url, https://me:p@hunter2@idp.example/keys",
        "schema.registry.url, http://me:hunter2@registry.example:8081",
        "ssl.key.password, hunter2hunter2",
        "sasl.oauthbearer.client.credentials.client.secret, hunter2hunter2"
    })
    void secretInAValue_isNotShown(String name, String value) {
        ConfigException fault = new ConfigException(name, value, "is refused");
        for (String text :
                List.of(ClientFault.of(fault, Map.of(name, value)).sentence(), ClientFault.withCause(fault))) {
            if (value.contains("://")) {
                assertThat(text).doesNotContain("ter2").contains(".example");
            }
        }
        assertThat(ClientFault.of(fault, Map.of(name, value)).sentence())
                .contains(name)
                .doesNotContain("ter2");
    }

    @Test
    void offsetsOfAClient_areToldWithoutTheirMetadata() {
        assertThat(ClientFault.withCause(new KafkaException("Timeout before successfully committing offsets {in-0="
                        + new OffsetAndMetadata(17, Optional.of(3), "w1;AAEC") + "}")))
                .isEqualTo("Timeout before successfully committing offsets {in-0=17}");
    }

    @Test
    void message_getsItsRootCause_once() {
        assertThat(ClientFault.withCause(new KafkaException("failed", new IOException("disk full"))))
                .isEqualTo("failed: disk full");
        assertThat(ClientFault.withCause(new KafkaException("disk full", new IOException("disk full"))))
                .isEqualTo("disk full");
        assertThat(ClientFault.withCause(new NullPointerException())).contains("NullPointerException");
    }
}
