package dev.weir.examples.asimov;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.TextFormat;
import dev.weir.examples.asimov.proto.PageView;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AsimovTranslatorTest {
    // Compressed with the npm package.
    private static final String DATA = "N4IgLglmA2CmIC4QGECGAzAlwAkCw2IAaEVAYzAGdEBtEE6CEga0NvqZboeYF0BfIA==";

    private static final String EVENT = """
            {"session": "s-1", "event": "e-9", "seq": 42, "timestamp": 1767225600123, "ignored": {"a": [1, {"b": null}]},
             "url": "HTTPS://user:secret@Shop.Example.com:8443/a/../b c?q=blue+suede%20shoes&f[min]=10&q=%E6%B0%B4&flag#top",
             "device": {"kind": "mobile", "os": "Android 16", "browser": "Firefox", "screen": {"width": 412, "height": 915}},
             "payload": {"encoding": "lz-base64", "data": "N4IgLglmA2CmIC4QGECGAzAlwAkCw2IAaEVAYzAGdEBtEE6CEga0NvqZboeYF0BfIA=="}}
            """;

    private final AsimovTranslator translator = new AsimovTranslator();

    private static String eventWith(String data) {
        return EVENT.replace(DATA, data);
    }

    @Test
    void translate_handWrittenEvent_givesGoldenMessage() throws InvalidProtocolBufferException {
        Translated translated = (Translated) translator.translate(EVENT.getBytes(UTF_8));

        assertThat(translated.key()).isEqualTo("s-1".getBytes(UTF_8));
        String text =
                TextFormat.printer().escapingNonAscii(false).printToString(PageView.parseFrom(translated.protobuf()));
        assertThat(text).isEqualTo("""
                        session_id: "s-1"
                        event_id: "e-9"
                        sequence: 42
                        timestamp_ms: 1767225600123
                        url {
                          scheme: "https"
                          host: "shop.example.com"
                          port: 8443
                          path: "/b%20c"
                          parameters {
                            name: "q"
                            value: "blue suede shoes"
                          }
                          parameters {
                            name: "f[min]"
                            value: "10"
                          }
                          parameters {
                            name: "q"
                            value: "\u6c34"
                          }
                          parameters {
                            name: "flag"
                          }
                          fragment: "top"
                        }
                        device {
                          kind: DEVICE_KIND_MOBILE
                          os: "Android 16"
                          browser: "Firefox"
                          screen {
                            width_px: 412
                            height_px: 915
                          }
                        }
                        payload_encoding: PAYLOAD_ENCODING_LZ_BASE64
                        payload: "{\\"title\\":\\"Caf\u00e9 \u6c34\\",\\"acts\\":[\\"click\\",\\"click\\",\\"click\\"]}"
                        """);
    }

    @Test
    void translate_utf16Payload_givesItsText() throws InvalidProtocolBufferException {
        String data = LzString.compressToUtf16("hello, \u6c34 \"hello\"")
                .replace("\\", "\\\\")
                .replace("\"", "\\\"");
        String json = eventWith(data).replace("lz-base64", "lz-utf16");

        Translated translated = (Translated) translator.translate(json.getBytes(UTF_8));

        assertThat(PageView.parseFrom(translated.protobuf()).getPayload()).isEqualTo("hello, \u6c34 \"hello\"");
    }

    @Test
    void translate_loneSurrogates_areReplaced() throws InvalidProtocolBufferException {
        String json = eventWith(LzString.compressToBase64("a\ud800b")).replace("s-1", "s\\udc00");

        Translated translated = (Translated) translator.translate(json.getBytes(UTF_8));

        assertThat(translated.key()).isEqualTo("s\ufffd".getBytes(UTF_8));
        assertThat(PageView.parseFrom(translated.protobuf()).getPayload()).isEqualTo("a\ufffdb");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"s-1\"                   | \"\"                | MISSING_SESSION          | session is missing or empty",
                "\"session\"               | \"sessio\"          | MISSING_SESSION          | session is missing or empty",
                "\"s-1\"                   | 1                   | WRONG_TYPE               | session must be a string, is VALUE_NUMBER_INT",
                "\"s-1\"                   | null                | WRONG_TYPE               | session must be a string, is VALUE_NULL",
                "\"ignored\"               | \"session\"         | DUPLICATE_FIELD          | session is there twice",
                "\"os\"                    | \"kind\"            | DUPLICATE_FIELD          | device.kind is there twice",
                "\"event\"                 | \"evnt\"            | MISSING_FIELD            | event is missing",
                "\"url\"                   | \"uri\"             | MISSING_FIELD            | url is missing",
                "\"device\"                | \"dev\"             | MISSING_FIELD            | device is missing",
                "\"kind\"                  | \"k\"               | MISSING_FIELD            | device.kind is missing",
                "\"height\"                | \"h\"               | MISSING_FIELD            | device.screen.height is missing",
                "\"data\"                  | \"d\"               | MISSING_FIELD            | payload.data is missing",
                "\"payload\"               | \"p\"               | MISSING_FIELD            | payload.encoding is missing",
                "{\"kind\": \"mobile\",    | [{                  | WRONG_TYPE               | device must be an object, is START_ARRAY",
                "42                        | 4.5                 | WRONG_TYPE               | seq must be a whole number, is VALUE_NUMBER_FLOAT",
                "42                        | -1                  | OUT_OF_RANGE             | seq must be from 0 to 9223372036854775807",
                "42                        | 9223372036854775808 | OUT_OF_RANGE             | seq must be from 0 to 9223372036854775807",
                "915                       | 65537               | OUT_OF_RANGE             | device.screen.height must be from 0 to 65536",
                "1767225600123             | 946684799999        | TIMESTAMP_OUT_OF_RANGE   | timestamp must be from 946684800000 to 4102444799999",
                "1767225600123             | 4102444800000       | TIMESTAMP_OUT_OF_RANGE   | timestamp must be from 946684800000 to 4102444799999",
                "lz-base64                 | gzip                | UNKNOWN_ENCODING         | payload.encoding is \"gzip\", neither lz-base64 nor lz-utf16",
                "HTTPS:                    | ftp:                | INVALID_URL              | its scheme is neither http nor https",
                "\"data\": \"              | \"data\": \"!       | INVALID_PAYLOAD          | the payload character U+0021 at 0 is not of the form BASE64",
            })
    void translate_oneFault_saysWhich(String good, String bad, Reason reason, String message) {
        assertThat(EVENT).contains(good);

        Malformed malformed =
                (Malformed) translator.translate(EVENT.replace(good, bad).getBytes(UTF_8));

        assertThat(malformed.message()).endsWith(message);
        assertThat(malformed.reason()).isEqualTo(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"[]", "1", "{", "{}}", "{} {}", "{\"a\":}", "{'a':1}", "{\"session\":\"a", "nonsense"})
    void translate_notOneJsonObject_isInvalidJson(String json) {
        Malformed malformed = (Malformed) translator.translate(("" + json).getBytes(UTF_8));

        // {}} and {} {} begin with a valid object. The fault is the text after it.
        assertThat(malformed.reason()).isEqualTo(Reason.INVALID_JSON);
    }

    @Test
    void translate_noValue_saysSo() {
        assertThat(translator.translate(null)).isEqualTo(new Malformed(Reason.EMPTY_VALUE, "the record has no value"));
        assertThat(translator.translate(new byte[0]))
                .isEqualTo(new Malformed(Reason.EMPTY_VALUE, "the record has no value"));
    }

    @Test
    void translate_payloadOverLimit_isTooLarge() {
        byte[] json = eventWith(LzString.compressToBase64("x".repeat(1001))).getBytes(UTF_8);

        assertThat(new AsimovTranslator(1001).translate(json)).isInstanceOf(Translated.class);
        assertThat(new AsimovTranslator(1000).translate(json))
                .isEqualTo(new Malformed(
                        Reason.PAYLOAD_TOO_LARGE, "the payload decompresses to more than 1000 characters"));
        assertThatThrownBy(() -> new AsimovTranslator(0)).hasMessageContaining("maxPayloadChars=0");
    }

    @Test
    void translate_endlessNesting_isInvalidJson() {
        String json = "{\"ignored\":" + "[".repeat(100_000);

        Malformed malformed = (Malformed) translator.translate(json.getBytes(UTF_8));

        assertThat(malformed.reason()).as("%s", malformed).isEqualTo(Reason.INVALID_JSON);
        assertThat(malformed.message()).hasSizeLessThanOrEqualTo(500);
    }

    @Test
    void translate_anyBytes_givesTranslationWithoutFault() {
        Random random = new Random(3);
        EventGenerator generator = new EventGenerator(3);
        int malformed = 0;
        for (int run = 0; run < 30_000; run++) {
            byte[] bytes = run % 5 == 0 ? noise(random) : damaged(generator.value(run), random);
            if (translator.translate(bytes) instanceof Malformed found) {
                assertThat(found.reason()).as("%s", found).isNotEqualTo(Reason.TRANSLATOR_FAULT);
                malformed++;
            }
        }
        assertThat(malformed).isBetween(10_000, 29_999);
    }

    private static byte[] noise(Random random) {
        byte[] bytes = new byte[random.nextInt(300)];
        random.nextBytes(bytes);
        if (bytes.length > 0 && random.nextBoolean()) {
            bytes[0] = '{';
        }
        return bytes;
    }

    private static byte[] damaged(byte[] bytes, Random random) {
        int wounds = 1 + random.nextInt(4);
        for (int i = 0; i < wounds; i++) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return bytes;
    }
}
