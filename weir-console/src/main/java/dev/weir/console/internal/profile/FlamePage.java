package dev.weir.console.internal.profile;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * Renders a profile as a self-contained page: the console's script and style, and the profile as data. The page's
 * content security policy forbids other scripts and all requests. Stateless.
 */
public final class FlamePage {

    private static final String FOLDER = "/dev/weir/console/page/";

    private static final String SHOW = "\nshowProfile(document.getElementById(\"profile\"),"
            + " JSON.parse(document.getElementById(\"data\").textContent));\n";

    private FlamePage() {}

    /** Returns the page for a profile in JSON. */
    public static String of(String profileJson) {
        String style = file("profile.css");
        String script = file("profile.js") + SHOW;
        String policy = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + hash(style)
                + "; script-src " + hash(script);
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="%s">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Weir profile</title>
            <style>%s</style>
            </head>
            <body class="profile-page">
            <h1>Profile by stage</h1>
            <main id="profile"></main>
            <script type="application/json" id="data">%s</script>
            <script type="module">%s</script>
            </body>
            </html>
            """.formatted(policy, style, inScript(profileJson), script);
    }

    /** Escapes JSON for a script element, so that its text cannot end the element or start a comment. */
    private static String inScript(String json) {
        return json.replace("<", "\\u003c");
    }

    /** Reads a file of the console's pages from the class path. */
    public static String file(String name) {
        try (InputStream in = FlamePage.class.getResourceAsStream(FOLDER + name)) {
            if (in == null) {
                throw new IllegalStateException("the jar of weir-console is not whole: " + FOLDER + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
        } catch (NoSuchAlgorithmException e) { // every JDK provides it
            throw new IllegalStateException(e);
        }
    }
}
