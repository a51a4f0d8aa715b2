package dev.weir.lean.internal.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Map;
import javax.net.ServerSocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A server's key and certificate for localhost. Stateless. */
public final class TlsKeys {

    public static final String PASSWORD = "secret";

    private TlsKeys() {}

    /** Returns the folder's PKCS 12 file. The first call creates it with the JDK's keytool. */
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

    /** Returns settings of a client that trusts the folder's key. */
    static Map<String, String> client(Path folder) throws Exception {
        return Map.of(
                "bootstrap.servers",
                "localhost:1",
                "security.protocol",
                "SSL",
                "ssl.truststore.location",
                in(folder).toString(),
                "ssl.truststore.password",
                PASSWORD);
    }

    /** Returns a factory of server sockets with the folder's key. */
    static ServerSocketFactory server(Path folder) throws Exception {
        char[] password = PASSWORD.toCharArray();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(in(folder))) {
            keys.load(in, password);
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context.getServerSocketFactory();
    }
}
