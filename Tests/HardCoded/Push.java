// Pushes as many programs do: to Apple's host, which stands in the code. BEARER is a provider token.
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

public class Push {
    public static void main(String[] arguments) throws Exception {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
        String[][] places = {{"api.push.apple.com", "a1"}, {"api.sandbox.push.apple.com:2197", "b2"}};
        for (String[] place : places) {
            String host = place[0];
            HttpRequest request = HttpRequest.newBuilder(URI.create("https://" + host + "/3/device/" + place[1].repeat(32)))
                .header("authorization", "bearer " + System.getenv("BEARER"))
                .header("apns-topic", "com.example.app").header("apns-push-type", "alert")
                .POST(HttpRequest.BodyPublishers.ofString("{\"aps\":{\"alert\":\"java\"}}")).build();
            HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            System.out.println(host + " " + answer.statusCode() + " " + answer.version());
        }
    }
}
