package dev.weir.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import javax.security.auth.login.LoginException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;

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

    @Test
    void message_getsItsRootCause_once() {
        assertThat(ClientFault.withCause(new KafkaException("failed", new IOException("disk full"))))
                .isEqualTo("failed: disk full");
        assertThat(ClientFault.withCause(new KafkaException("disk full", new IOException("disk full"))))
                .isEqualTo("disk full");
        assertThat(ClientFault.withCause(new NullPointerException())).contains("NullPointerException");
    }
}
