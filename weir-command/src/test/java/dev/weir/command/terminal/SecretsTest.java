package dev.weir.command.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ssl.key.password: hunter2",
                "ssl.key.password=hunter2",
                "  password: 'hunter2 and ''more'''  # note",
                "{user: me, password: \"hun\\\"hunter2\", x: 1}",
                "sasl.jaas.config: org.x.Plain required username=\"me\" password=\"hunter2\";",
                "sasl.jaas.config: org.x.Plain required\n    username=me password=hunter2;",
                "sasl.jaas.config: |\n    org.x.Plain\n    required hunter2\nnext: 1",
                "  sasl.jaas.config: >-\n    org.x.Plain\n\n    required hunter2\n  next: 1",
                "\"oauth.client.secret\": \"hunter2\"",
                "registry: http://me:hunter2@host/",
                "API_KEY=hunter2"
            })
    void redact_aSecretInAnyNotation_isGone(String text) {
        assertThat(Secrets.redact(text)).doesNotContain("hunter2").contains(Secrets.HIDDEN);
    }

    @Test
    void redact_theRest_stays() {
        String text = "name: x\nkey.serializer: y\nkeys: zipf\nsasl.jaas.config: |\n    a\n    b\nnext: 1\n";
        assertThat(Secrets.redact(text))
                .isEqualTo("name: x\nkey.serializer: y\nkeys: zipf\nsasl.jaas.config: [hidden]\nnext: 1\n");
        assertThat(Secrets.redact(Secrets.redact(text))).isEqualTo(Secrets.redact(text));
    }

    @Test
    void redact_settings_hidesByNameAndKeepsTheOthers() {
        assertThat(Secrets.redact(Map.of("ssl.truststore.password", "p", "group.id", "g")))
                .isEqualTo(Map.of("ssl.truststore.password", Secrets.HIDDEN, "group.id", "g"));
    }

    /** Exceptions often quote a record. In quadratic time, logging such a text takes hours. */
    @ParameterizedTest
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a search cannot be interrupted
    @ValueSource(strings = {"x", "http://h/", "://&", "?password=", "token", "a@"})
    void redact_aLongTextWithoutSpaces_takesTimeInProportion(String part) {
        String text = "http://me:hunter2@host/?" + part.repeat(400_000 / part.length()) + " http://me:hunter2@host/";
        assertThat(Secrets.redactAddresses(text)).endsWith(" http://[hidden]@host/");
        assertThat(Secrets.redact(text)).doesNotContain("hunter2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ssl.keystore.key: \"%s\"\nnext: 1",
                "ssl.keystore.key: '%s'\nnext: 1",
                "ssl.keystore.key: |\n%s\nnext: 1"
            })
    void redact_aLongSecret_isGone(String form) {
        assertThat(Secrets.redact(form.formatted(" hunter2\n".repeat(20_000))))
                .doesNotContain("hunter2")
                .contains("next: 1");
    }

    @Test
    void redactAddresses_hidesTheUserAndEachSecretOfTheQuery() {
        assertThat(Secrets.redactAddresses(
                        "at https://me:p@ss/w@host/?a=1&client_secret=x&token=y#z, and http://h/?q=a@b"))
                .isEqualTo(
                        "at https://[hidden]@host/?a=1&client_secret=[hidden]&token=[hidden]#z, and http://h/?q=a@b");
    }
}
