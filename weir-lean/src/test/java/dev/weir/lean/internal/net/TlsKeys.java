package dev.weir.lean.internal.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

/** A key and its certificate for localhost, which a server shows and a client trusts. Stateless. */
public final class TlsKeys {

    /** Of the file and of the key. */
    public static final String PASSWORD = "secret";

    private TlsKeys() {}

    /** The file in that folder, of PKCS 12; made by the JDK's own tool when it is asked for first. */
    public static Path in(Path folder) throws Exception {
        Path file = folder.resolve("keys.p12");
        if (!Files.exists(file)) {
            Process keytool = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "keytool")
                                    .toString(),
                            "-genkeypair",
                            "-alias",
                            "k",
                            "-keyalg",
                            "EC",
                            "-dname",
                            "CN=localhost",
                            "-ext",
                            "SAN=dns:localhost,ip:127.0.0.1",
                            "-validity",
                            "10",
                            "-storetype",
                            "PKCS12",
                            "-keystore",
                            file.toString(),
                            "-storepass",
                            PASSWORD)
                    .inheritIO()
                    .start();
            assertThat(keytool.waitFor()).isZero();
        }
        return file;
    }
}
